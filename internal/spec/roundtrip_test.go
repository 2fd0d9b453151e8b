package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// inventoryName draws names that are hard to write in YAML: blanks, signs, words that look like other types, %2f, unicode.
func inventoryName() *rapid.Generator[string] {
	awkward := rapid.SampledFrom([]string{
		"VM Network", "null", "~", "true", "no", "1e3", "0x1f", "2001-01-01", "<<", "=", "- a", "a: b", "a #b", "'", `"`, `\`, "a%2fb",
		"[x", "{x}", "&a", "*a", "!t", "|", ">", "@x", "`", " lead", "trail ", "ünïcode", "日本語", "👍", "\u00a0", "\u200b", "%", "?", ",", "Resources",
	})
	letters := rapid.StringOfN(rapid.RuneFrom([]rune(` !"#$%&'()*+,-.09:;<=>?@AZ[\]^_az{|}~é`)), 1, 12, -1)
	return rapid.OneOf(awkward, letters)
}

func drawSpec(t *rapid.T) *Spec {
	s := blank()
	s.Cluster = rapid.StringMatching(`[a-z0-9]([a-z0-9.-]{0,10}[a-z0-9])?`).Draw(t, "cluster")
	s.CredentialsFile = rapid.SampledFrom([]string{"", "~/.vsphere/two", "/a b/c", "two", "../two", "a: #b"}).Draw(t, "credentials file")
	s.Profile = rapid.SampledFrom(openshift.ProfileNames()).Draw(t, "profile")
	s.Privileges.Matrix = rapid.SampledFrom(append(privileges.Names(), "./matrix: 1.yaml")).Draw(t, "matrix")
	s.Privileges.RoleLayout = rapid.SampledFrom([]string{privileges.LayoutScope, privileges.LayoutComponent}).Draw(t, "layout")
	s.Privileges.RolePrefix = rapid.StringMatching(`[a-zß(0-9][]A-Za-z0-9. :#_é-]{0,11}`).Draw(t, "prefix")
	for _, c := range privileges.Selectable() {
		if rapid.Bool().Draw(t, "condition") {
			s.Privileges.Conditions = append(s.Privileges.Conditions, string(c))
		}
	}
	s.Privileges.Added = drawAdded(t)
	s.Accounts.Username = rapid.SampledFrom([]string{DefaultUsername, "{component}", "a_{component}.{cluster}"}).Draw(t, "username")
	s.Secrets.RootSecret = rapid.Bool().Draw(t, "root secret") && s.profile().Homes == nil
	if profile := s.profile(); profile.Labelled {
		s.Secrets.CCOLabel = rapid.SampledFrom([]string{"", openshift.LabelTrue, openshift.LabelYes, openshift.LabelNone}).Draw(t, "label")
	} else if profile.Manual && profile.Homes == nil {
		s.Secrets.Extra = rapid.SampledFrom([][]string{nil, {"cluster-api"}, {"cluster-api", "machine-config"}}).Draw(t, "extra")
	}
	for _, c := range component.Names() {
		if !rapid.Bool().Draw(t, "component") || !s.profile().Has(c) {
			continue
		}
		if s.Components == nil {
			s.Components = map[component.Name]Component{}
		}
		principals := []string{"", "svc@corp", `CORP\nine`}
		if s.Account(c).Component != c { // it has none of its own in this profile
			principals = principals[:1]
		}
		component := Component{Principal: rapid.SampledFrom(principals).Draw(t, "principal")}
		if component.Principal != "" && rapid.Bool().Draw(t, "says what it is") {
			group := rapid.Bool().Draw(t, "group")
			if component.Group = &group; group {
				component.Principal = rapid.SampledFrom([]string{"Infra Team@corp", `CORP\Groß & Klein's`}).Draw(t, "group name")
			}
		}
		s.Components[c] = component
	}
	for _, c := range component.Names() {
		if of, named := s.Components[c]; named && s.CheckDisabled(c) == nil {
			of.Disabled = rapid.Bool().Draw(t, "disabled")
			s.Components[c] = of
		}
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "vcenters") {
		vc := VCenter{Server: fmt.Sprintf("vc%d.example.com", i), Port: rapid.IntRange(1, 65535).Draw(t, "port")}
		vc.Address = rapid.SampledFrom([]string{"", "10.0.0.1:443", "[fd00::1]:8443"}).Draw(t, "address")
		for _, c := range component.Names() {
			if user := rapid.SampledFrom([]string{"", "", "ocp-" + string(c) + "@vsphere.local", `CORP\nine`}).Draw(t, "user"); user != "" {
				if vc.Accounts == nil {
					vc.Accounts = map[component.Name]string{}
				}
				vc.Accounts[c] = user
			}
		}
		for j := range rapid.IntRange(0, 3).Draw(t, "domains") {
			vc.FailureDomains = append(vc.FailureDomains, drawDomain(t, fmt.Sprintf("zone %d-%d", i, j)))
		}
		s.VCenters = append(s.VCenters, vc)
	}
	s.ReconciledUpdates = drawReleases(t)
	return s
}

func drawDomain(t *rapid.T, name string) FailureDomain {
	draw := func(what string) string { return inventoryName().Draw(t, what) }
	maybe := func(what, below string) string {
		if rapid.Bool().Draw(t, "has "+what) {
			return below + "/" + draw(what)
		}
		return ""
	}
	fd := FailureDomain{Name: name, Datacenter: draw("datacenter"), HostGroup: rapid.Bool().Draw(t, "host group")}
	if rapid.Bool().Draw(t, "nested") {
		fd.Datacenter = "/" + draw("folder of datacenters") + "/" + fd.Datacenter
	}
	dc := fd.DatacenterPath()
	fd.ComputeCluster = dc + "/host/" + draw("cluster")
	fd.Datastore = dc + "/datastore/" + draw("datastore")
	for _, n := range rapid.SliceOfNDistinct(inventoryName(), 1, 3, rapid.ID).Draw(t, "networks") {
		fd.Networks = append(fd.Networks, dc+"/network/"+n)
	}
	fd.Folder = maybe("folder", dc+"/vm")
	fd.ResourcePool = maybe("pool", fd.ComputeCluster+"/Resources")
	fd.Template = maybe("template", dc+"/vm/templates")
	fd.Region, fd.Zone = strings.TrimPrefix(maybe("region", ""), "/"), strings.TrimPrefix(maybe("zone", ""), "/")
	return fd
}

func TestYAMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		if diff := cmp.Diff(s, reparse(t, s)); diff != "" {
			t.Fatalf("%s\n%s", diff, s.YAML())
		}
	})
}

// Whatever Parse accepts, it accepts again as written, and finds the same in it; and it passes the schema.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{example, least, head + ok + twoAdded, head + ok + "privileges: {added: [{component: x, scope: [], privileges: [a b, '', A]}]}\n", site + rest, head + ok, "a: &a {<<: *a}\n", head + "vcenters: [&v {server: a}, *v]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("spec.yaml", data)
		if err != nil {
			checkError(t, data, err)
			return
		}
		if diff := cmp.Diff(s, reparse(t, s)); diff != "" {
			t.Errorf("%s\n%s", diff, s.YAML())
		}
		if err := validate(t, data); err != nil {
			t.Error(err)
		}
	})
}

// Whatever ParseInstallConfig accepts is a spec that Parse accepts as well.
func FuzzInstallConfig(f *testing.F) {
	for _, seed := range []string{installConfig, flatFields, strings.Replace(installConfig, "server: vc", "server: https://", 1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseInstallConfig("install-config.yaml", data)
		if err != nil {
			checkError(t, data, err)
			return
		}
		if diff := cmp.Diff(s, reparse(t, s)); diff != "" {
			t.Errorf("%s\n%s", diff, s.YAML())
		}
	})
}

// checkError looks for values of password and pull secret fields in the error. One that stands in the file a second time, or has
// a few characters only, may be there for another reason.
func checkError(t *testing.T, data []byte, err error) {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil {
		return
	}
	for _, secret := range secrets(&doc, false, 0) {
		if len(secret) >= 6 && strings.Count(string(data), secret) == 1 && strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells %q:\n%v", secret, err)
		}
	}
}

// secrets lists the scalars below a field named password or pullSecret. An anchor may be used where it does show.
func secrets(n *yaml.Node, inside bool, depth int) []string {
	if depth > 50 || n.Anchor != "" {
		return nil
	}
	var found []string
	if inside && n.Kind == yaml.ScalarNode {
		found = append(found, n.Value)
	}
	for i, c := range n.Content {
		below := inside
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			below = inside || strings.EqualFold(n.Content[i-1].Value, "password") || n.Content[i-1].Value == "pullSecret"
		}
		found = append(found, secrets(c, below, depth+1)...)
	}
	return found
}
