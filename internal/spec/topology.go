package spec

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
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
// is read back, and is the same specification but for that, or it is an error. name stands for the path in errors.
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
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	key, value := fieldOf(doc.Content[0], "vcenters")
	byHand := fmt.Errorf("%s: edit this file by hand", name)
	if key == nil { // it is behind an alias
		return nil, byHand
	}
	t := yamldoc.NewLines(data)
	vcenters := string(encoded(struct {
		VCenters []fileVCenter `yaml:"vcenters"`
	}{want.fileVCenters()}))
	out := []byte(t.Text[:t.Start(key.Line)] + strings.ReplaceAll(vcenters, "\n", t.NL) + t.Text[t.Start(last(value)+1):])
	if after, err := Parse(name, out); err != nil || !reflect.DeepEqual(after, want) {
		return nil, byHand
	}
	return out, nil
}

// last is the line on which a node ends, as far as its parts tell: of a text of several lines it is the first.
func last(n *yaml.Node) int {
	end := n.Line
	for _, part := range n.Content {
		end = max(end, last(part))
	}
	return end
}
