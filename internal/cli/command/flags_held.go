package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// HeldFlags say where the secrets are that wait for their namespaces, and who can read them.
type HeldFlags struct {
	Dir        string // --held
	Recipients RecipientFlags
	Identity   IdentityFlags
}

// Register adds the flags to cmd.
func (h *HeldFlags) Register(cmd *cobra.Command) {
	DirFlag(cmd, &h.Dir, "held", "directory that holds the secrets of new requests until their namespaces exist")
	MarkCommandLineOnly(cmd, "held")
	h.Recipients.Register(cmd, "encrypt held secrets")
	h.Identity.Register(cmd)
}

// Directory is the directory of held secrets of a cluster, with the keys that were given; s may be nil. A passphrase is asked for once.
func (h *HeldFlags) Directory(ctx context.Context, f *Factory, s *spec.Spec) (held.Dir, error) {
	d := held.Dir{Path: h.Dir}
	if s != nil {
		d.Cluster = s.Cluster
	}
	to, err := h.Recipients.Resolve(f)
	if err != nil {
		return d, err
	}
	if len(to) > 0 {
		d.Seal = func(plain []byte) ([]byte, error) { return sealed.Seal(plain, to) }
		if _, err := d.Seal(nil); err != nil { // keys that do not go together
			return d, BadFlag(RecipientFlag, "%w", err)
		}
	}
	keys, err := h.Identity.Keys(ctx, f)
	if err == nil && len(keys) > 0 {
		d.Open = func(name string, data []byte) ([]byte, error) { return sealed.Open(name, data, keys) }
	}
	return d, err
}
