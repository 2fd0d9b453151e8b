package vcenter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// An interrupt is told in a word, and stays what Go calls it for whoever decides by it.
func TestInterruptedInAWord(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	if err := vcenter.Ended(ctx); err != nil {
		t.Errorf("before its end: %v", err)
	}
	cancel()
	if err := vcenter.Ended(ctx); !errors.Is(err, context.Canceled) || err.Error() != "interrupted" {
		t.Errorf("%v", err)
	}
	for _, server := range []string{"vcenter.example.com", "127.0.0.1:1"} {
		if _, err := vcenter.Connect(ctx, vcenter.Config{Server: server}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "context") {
			t.Errorf("%s: %v", server, err)
		}
	}
}
