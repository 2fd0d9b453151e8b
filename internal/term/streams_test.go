package term_test

import (
	"io"
	"log"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestSystemSilencesLibraries(t *testing.T) {
	defer log.SetOutput(log.Writer())
	term.System()
	if log.Writer() != io.Discard {
		t.Error("what net/http logs of a server's words reaches the terminal")
	}
}
