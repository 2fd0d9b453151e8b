package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/gcfg.v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Configuration files of vSphere's cloud providers and CSI driver are read with gcfg.v1. Section
// Global has the account of each vCenter without its own
// (openshift/vmware-vsphere-csi-driver-operator@030ff0e32620, assets/vsphere_cloud_config.yaml;
// kubernetes-sigs/vsphere-csi-driver@bf8090256717, pkg/common/config).

// confSection is a section of such a file.
type confSection struct {
	name, server string           // name in lower case; "" = not of a vCenter
	lines        []string         // its head first, without those of the account
	account      credfile.Account // zero unless it is of a vCenter
}

// confSections are those of a text, in which each vCenter has its account.
func confSections(text string) []confSection {
	all := []confSection{{}}
	of := map[string]*credfile.Account{"global": {}}
	for line := range strings.Lines(text) {
		at, trimmed := &all[len(all)-1], strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(trimmed, "["); ok {
			head, _, _ = strings.Cut(head, "]")
			name, sub, _ := strings.Cut(strings.TrimSpace(head), " ")
			at = &confSection{name: strings.ToLower(name)}
			if server := confValue(sub); at.name == "virtualcenter" && server != "" {
				at.server, at.name = server, at.name+" "+server
				of[at.name] = cmp.Or(of[at.name], new(credfile.Account))
			}
			all = append(all, *at)
			at = &all[len(all)-1]
		}
		key, value, _ := strings.Cut(trimmed, "=")
		switch account := of[at.name]; {
		case account != nil && strings.EqualFold(strings.TrimSpace(key), "user"):
			account.User = confValue(value)
		case account != nil && strings.EqualFold(strings.TrimSpace(key), "password"):
			account.Password = secret.New(confValue(value))
		default:
			at.lines = append(at.lines, line)
		}
	}
	for i, s := range all {
		if s.server != "" {
			own, global := of[s.name], of["global"]
			all[i].account.User, all[i].account.Password = cmp.Or(own.User, global.User), own.Password
			if own.Password.Empty() {
				all[i].account.Password = global.Password
			}
		}
	}
	return all
}

// quotedValue is a value in quotes, and confEscapes what a backslash means there.
var (
	quotedValue = pattern.Of(`^"((?:[^"\\]|\\.)*)"`)
	confEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t")
)

// confValue is a value as gcfg.v1 reads it: outside of quotes ; and # begin a comment.
func confValue(text string) string {
	text = strings.TrimSpace(text)
	if in := quotedValue().FindStringSubmatch(text); in != nil {
		return confEscapes.Replace(in[1])
	}
	if i := strings.IndexAny(text, ";#"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// confKeys are the keys of a secret with such a file, sorted.
func confKeys(data map[string][]byte) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(data)), func(key string) bool {
		return !strings.Contains(strings.ToLower(string(data[key])), "[virtualcenter")
	})
}

// ConfFaults say at which line the CSI driver cannot read its file, without what is there.
func (o *Object) ConfFaults() (faults []error) {
	for _, key := range confKeys(o.Data) {
		if err := gcfg.FatalOnly(gcfg.ReadStringInto(new(struct{}), string(o.Data[key]))); err != nil {
			fault, _, _ := strings.Cut(err.Error(), " U+") // a character
			faults = append(faults, fmt.Errorf("key %q, line %s", key, fault))
		}
	}
	return faults
}

func readConf(data map[string][]byte) (all []serverAccount) {
	for _, key := range confKeys(data) {
		for _, s := range confSections(string(data[key])) {
			if s.account.User != "" {
				all = append(all, serverAccount{s.server, s.account})
			}
		}
	}
	return all
}

// putConf writes each vCenter's account into its own section and keeps the other lines.
func putConf(data map[string][]byte, now next) (changed bool) {
	for _, key := range confKeys(data) {
		renewed, stays := false, false
		all := confSections(string(data[key]))
		for i := range all {
			s := &all[i]
			if s.account.User == "" {
				continue
			}
			a, ok := now(s.server, s.account)
			if renewed = renewed || ok; ok {
				s.account = a
			}
			if stays = stays || s.account.User != ""; s.account.User == "" {
				s.lines = nil
			}
		}
		if !renewed || !stays {
			continue
		}
		var b strings.Builder
		for _, s := range all {
			for n, line := range s.lines {
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
				if n == 0 && s.account.User != "" {
					b.WriteString("user = " + openshift.Quoted(s.account.User) + "\npassword = " +
						openshift.Quoted(s.account.Password.Reveal()) + "\n")
				}
			}
		}
		data[key], changed = []byte(b.String()), true
	}
	return changed
}

// KeepConf leaves what a CSI driver's configuration in the cluster says beside accounts, if it has
// all vCenters of the manifest, and reports whether it does.
func (c *Cluster) KeepConf(manifests []openshift.Manifest) (kept bool) {
	for _, m := range manifests {
		if m.Secret == nil || m.Secret.Data[openshift.ConfKey] == nil {
			continue
		}
		there, written := c.objects[component.At(m.Secret.Namespace, m.Secret.Name)], objectOf(*m.Secret)
		if there == nil || len(lists.Without(written.Servers(), there.Servers())) > 0 {
			continue
		}
		data := maps.Clone(there.Data)
		if kept = putConf(data, func(server string, _ credfile.Account) (credfile.Account, bool) {
			return written.Held(server), true
		}); kept {
			m.Secret.Data = data
		}
	}
	return kept
}
