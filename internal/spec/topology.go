package spec

import (
	"fmt"
	"reflect"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// WithTopology is the specification with the vCenters and failure domains of another one of the same cluster. How a vCenter is
// reached, and which accounts are named for it, stays. The receiver stays as it is.
func (s *Spec) WithTopology(from *Spec) *Spec {
	want := *s
	want.VCenters = nil
	for _, vc := range from.VCenters {
		vc.Address, vc.Accounts = "", nil
		if own := s.find(serverKey(vc.Server)); own != nil {
			vc.Address, vc.Accounts = own.Address, own.Accounts
		}
		want.VCenters = append(want.VCenters, vc)
	}
	return &want
}

// SetTopology writes into a provisioning file the vCenters and failure domains of another specification of the same cluster. The
// field vcenters is written anew where these differ, without its comments; everything else stays as it is, byte for byte. The result
// is read back, and is the same specification but for that, or the error is ErrNotEdited. name stands for the path in errors.
func SetTopology(name string, data []byte, from *Spec) ([]byte, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	if before.Cluster != from.Cluster {
		return nil, hint.Errorf("give what is about the same cluster", "%s is about cluster %s, not about %s", name, before.Cluster, from.Cluster)
	}
	if len(Differences(before, from)) == 0 {
		return data, nil
	}
	want := before.WithTopology(from)
	root, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	key, value := fieldOf(root, "vcenters")
	if key == nil || key.Column > 1 {
		return nil, ErrNotEdited
	}
	rest := newLines(t.cut(key.Line, last(value)))
	out := rest.insertAll(key.Line, linesOf(struct {
		VCenters []fileVCenter `yaml:"vcenters"`
	}{want.fileVCenters()}))
	after, err := Parse(name, out)
	if err != nil || !reflect.DeepEqual(after, want) {
		return nil, fmt.Errorf("%s: %w", name, ErrNotEdited)
	}
	return out, nil
}
