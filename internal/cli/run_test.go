package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("nobody expects it") }

// The runtime's own exit code for a panic means "differences found" to scripts.
func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	fake := term.NewFake()
	fake.Streams.Out = panicking{}
	if code := Run(context.Background(), fake.Streams, []string{"version"}); code != ExitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"internal error: nobody expects it (", "hint: ", "report it"} {
		if got := fake.Stderr.String(); !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}
