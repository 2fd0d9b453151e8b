package credfile

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

func TestRemove(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"section that holds nothing else": {"[a]\nx = 1\n\n[vc]\nuser = u\npassword = p\n\n[b]\ny = 1\n", "[a]\nx = 1\n\n[b]\ny = 1\n"},
		"first section":                   {"[vc]\nuser = u\npassword = p\n\n[b]\ny = 1\n", "[b]\ny = 1\n"},
		"foreign key stays":               {"[vc]\nuser = u\npassword = p\nnote = 1\n", "[vc]\nnote = 1\n"},
		"comment stays":                   {"[vc]\n# mine\nuser = u\npassword = p\n", "[vc]\n# mine\n"},
		"comment on the header stays":     {"[vc] ; mine\nuser = u\npassword = p\n", "[vc] ; mine\n"},
		"twice in the file":               {"[vc]\nuser = u\npassword = p\n[b]\n[vc]\nuser = v\npassword = q\n", "[b]\n"},
		"over several lines":              {"[vc]\nuser = u\npassword = `p\nq`\nnote = a\\\nb\n", "[vc]\nnote = a\\\nb\n"},
		"without a last line break":       {"[a]\nx = 1\n\n[vc]\nuser = u\npassword = p", "[a]\nx = 1"},
		"nothing left":                    {"[vc]\nuser = u\npassword = p\n", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := opened(t, tt.before)
			f.Remove("vc", component.Installer)
			f.Remove("vc", "csi-driver")
			save(t, f)
			if tt.after == "" {
				if _, err := os.Lstat(f.Path()); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("an empty file is left: %v", err)
				}
				return
			}
			if diff := cmp.Diff(tt.after, content(t, f.Path())); diff != "" {
				t.Error(diff)
			}
		})
	}
}
