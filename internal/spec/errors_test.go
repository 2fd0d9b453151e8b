package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// head is the part of a file that is right; the case's text follows on line 4.
const head = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\n"

// site opens a failure domain; the case's fields follow on line 9.
const site = head + `vcenters:
- server: vc1.example.com
  failureDomains:
  - name: zone-a
    datacenter: DC1
`

// rest completes a failure domain.
const rest = "    computeCluster: C1\n    datastore: ds1\n    networks: [n1]\n"

// ok completes a file.
const ok = "vcenters: [{server: vc1.example.com}]\n"

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("a", 70)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "spec.yaml: is empty"},
		{"only a comment", "# nothing\n", "spec.yaml: is empty"},
		{"only null", "---\n~\n", "spec.yaml: is empty"},
		{"a list", "- a\n", "spec.yaml:1: must be fields with values, not a list"},
		{"no YAML", "a: b\nc: d: e\n", "spec.yaml:2: not valid YAML, here or below: a value contains a colon and a space; put it in quotes"},
		{
			"unknown anchor", head + "profile: *canary\n",
			"spec.yaml:4: not valid YAML, here or below: an alias (*name) has no anchor; put a value that begins with * in quotes",
		},
		{"two documents", head + ok + "---\na: b\n", "spec.yaml:6: a second document begins here: a file may have only one"},
		{
			"an install-config", "apiVersion: v1\nmetadata: {name: c1}\nplatform: {vsphere: {}}\n",
			"spec.yaml: is an install-config, not a provisioning file: pass it with --install-config",
		},
		{"everything missing", "accounts: {}\n", `spec.yaml:1: apiVersion is missing: write apiVersion: ocp-vsphere-admin/v1
spec.yaml:1: kind is missing: write kind: Provisioning
spec.yaml:1: cluster is missing
spec.yaml:1: vcenters is missing`},
		{
			"disabled, somebody else's", head + "components:\n  installer:\n    principal: svc@corp\n    disabled: true\n" + ok,
			"spec.yaml:7: components.installer.disabled: cannot be set: svc@corp belongs to somebody else, so it is not disabled",
		},
		{
			"disabled, without an account of its own", head + "profile: component-scoped\ncomponents: {machine-api: {disabled: true}, installer: {disabled: true}}\n" + ok,
			`spec.yaml:5: components.machine-api.disabled: cannot be set: profile component-scoped gives installer the same account
spec.yaml:5: components.installer.disabled: cannot be set: profile component-scoped gives installer no separate account; it uses that of machine-api`,
		},
		{
			"disabled, the one that all share", head + "profile: passthrough\ncomponents: {installer: {disabled: true}}\n" + ok,
			"spec.yaml:5: components.installer.disabled: cannot be set: profile passthrough gives machine-api, csi-driver, cloud-controller, diagnostics the same account",
		},
		{
			"disabled, the one that others are given", head + "components: {machine-api: {}, csi-driver: {}, installer: {disabled: true}}\n" + ok,
			"spec.yaml:4: components.installer.disabled: cannot be set: the specification has no account for cloud-controller, diagnostics: profile kube-system gives them that of installer",
		},
		{"disabled, not a truth", head + "components: {installer: {disabled: yep}}\n" + ok, `spec.yaml:4: components.installer.disabled: must be true or false, not text`},
		{
			"wrong header", "apiVersion: ocp-vsphere-admin/v2\nkind: Provision\ncluster: c1\n" + ok,
			`spec.yaml:1: apiVersion: "ocp-vsphere-admin/v2" is not valid: use ocp-vsphere-admin/v1
spec.yaml:2: kind: "Provision" is not valid: use Provisioning`,
		},
		{
			"unknown fields", head + "clustr: c2\nzzz: 1\nvcenters:\n- server: vc1\n  Port: 443\n  password: canary\n",
			`spec.yaml:4: unknown field "clustr"; did you mean "cluster"?
spec.yaml:5: unknown field "zzz"; known: apiVersion, kind, cluster, credentialsFile, common, linkedGroup, profile, privileges, accounts, secrets, components, vcenters, reconciledAvailableUpdates
spec.yaml:8: unknown field "Port"; did you mean "port"?
spec.yaml:9: unknown field "password"; a provisioning file holds no credentials`,
		},
		{
			"secrets", head + "secrets:\n  ccoLabel: maybe\n  rootSecrets: true\n  extra: [cluster-apis, machine-config, machine-config]\nprofile: component-scoped\n" + ok,
			`spec.yaml:5: secrets.ccoLabel: "maybe" is unknown; known: true, yes, none
spec.yaml:5: secrets.ccoLabel: is never used: profile component-scoped has no label
spec.yaml:6: unknown field "rootSecrets"; did you mean "rootSecret"?
spec.yaml:7: secrets.extra[0]: "cluster-apis" is unknown; did you mean "cluster-api"?
spec.yaml:7: secrets.extra[2]: "machine-config" is named twice`,
		},
		{
			"secrets without use", head + "secrets: {ccoLabel: true, extra: [cluster-api]}\n" + ok,
			`spec.yaml:4: secrets.ccoLabel: must be text, not true or false: put it in quotes
spec.yaml:4: secrets.extra: is never used: profile kube-system has no extra secrets, cloud-credential-operator makes them`,
		},
		{"home of another", head + "credentialsFile: ~bob/c\nvcenters:\n- server: vc1\n", `spec.yaml:4: credentialsFile: "~bob/c" is not supported: use ~ only for your own home, as in ~/file`},
		{"a directory", head + "credentialsFile: ~/\nvcenters:\n- server: vc1\n", `spec.yaml:4: credentialsFile: "~/" is a directory: add the file name`},
		{"field of a failure domain", site + rest + "    datastor: ds1\n", `spec.yaml:12: unknown field "datastor"; did you mean "datastore"?`},
		{"field name that is no text", head + "[a]: b\n" + ok, "spec.yaml:4: a field name must be text, not a list"},
		{
			"given twice", head + "cluster: c2\nprofile: manual\nprofile: manual\n" + ok,
			`spec.yaml:4: cluster: is given twice, first on line 3: remove one
spec.yaml:6: profile: is given twice, first on line 5: remove one`,
		},
		{"wrong types", `apiVersion: ocp-vsphere-admin/v1
kind: [Provisioning]
cluster: 2001-01-01
profile: true
privileges: default
accounts:
  username: {a: b}
components: [installer]
vcenters:
- server: 10
  port: "443"
  address: 1.5
  failureDomains: zone-a
- vc2
`, `spec.yaml:2: kind: must be text, not a list
spec.yaml:3: cluster: must be text, not a date: put it in quotes
spec.yaml:4: profile: must be text, not true or false: put it in quotes
spec.yaml:5: privileges: must be fields, not text
spec.yaml:7: accounts.username: must be text, not fields
spec.yaml:8: components: must be fields, not a list
spec.yaml:10: vcenters[0].server: must be text, not a number: put it in quotes
spec.yaml:11: vcenters[0].port: must be a whole number, not text
spec.yaml:12: vcenters[0].address: must be text, not a number: put it in quotes
spec.yaml:13: vcenters[0].failureDomains: must be a list, not text
spec.yaml:14: vcenters[1]: must be fields, not text
spec.yaml:14: vcenters[1].server is missing`},
		{
			"wrong types in a failure domain", site + "    computeCluster: !tag C1\n    datastore: ds1\n    networks: n1\n    hostGroup: \"true\"\n",
			`spec.yaml:9: vcenters[0].failureDomains[0].computeCluster: must be text, not a tagged value: put it in quotes
spec.yaml:11: vcenters[0].failureDomains[0].networks: must be a list, not text
spec.yaml:12: vcenters[0].failureDomains[0].hostGroup: must be true or false, not text`,
		},
		{"misspelt words", head + `profile: kube-sytem
privileges:
  matrix: enhancment
  roleLayout: scop
  conditions: [vsan-files, folder-existing, vsan-file, vsan-file, managed-storageclass, no-managed-storageclass, xyz]
components:
  machineapi: {}
  diagnostic: {}
` + ok, `spec.yaml:4: profile: "kube-sytem" is unknown; did you mean "kube-system"?
spec.yaml:6: privileges.matrix: "enhancment" is unknown (the path of a file contains a / or ends with .yaml); did you mean "enhancement"?
spec.yaml:7: privileges.roleLayout: "scop" is unknown; did you mean "scope"?
spec.yaml:8: privileges.conditions[0]: "vsan-files" is unknown; did you mean "vsan-file"?
spec.yaml:8: privileges.conditions[1]: "folder-existing" follows from the failure domains and cannot be set here
spec.yaml:8: privileges.conditions[3]: "vsan-file" is named twice
spec.yaml:8: privileges.conditions[5]: "no-managed-storageclass" contradicts "managed-storageclass"
spec.yaml:8: privileges.conditions[6]: "xyz" is unknown; known: vsan-file, storage-policy, hardware-upgrade, ova-import, boot-image-updates, vcf-migration, vcf-migration-vmotion, documented-only, managed-storageclass, vm-tags, vm-encryption, cluster-modules, data-disks, vm-resources, pci-devices, source-is-vm, no-managed-storageclass
spec.yaml:10: unknown field "machineapi"; did you mean "machine-api"?
spec.yaml:11: unknown field "diagnostic"; did you mean "diagnostics"?`},
		{"principals", head + `components:
  machine-api: {principal: svc}
  csi-driver: {principal: svc+1@corp.example.com}
  installer: {principal: "CORP\name"}
  diagnostics: {principl: a@b}
` + ok, `spec.yaml:5: components.machine-api.principal: "svc" has no domain: write name@domain or DOMAIN\name
spec.yaml:6: components.csi-driver.principal: "svc+1@corp.example.com" is a name that the CSI driver refuses: name@domain or DOMAIN\name, with letters, digits, dots and hyphens, and underscores before the @ or after the \
spec.yaml:7: components.installer.principal: contains a line break or another control character; in double quotes \ begins an escape, in single quotes it does not
spec.yaml:8: unknown field "principl"; did you mean "principal"?`},
		{
			"account without a component", head + "accounts: {username: 'ocp-{cluster}'}\ncomponents: {machine-api: {}, installer: {}, diagnostics: {principal: a@b}}\n" + ok,
			`spec.yaml:4: accounts.username: account name "ocp-{cluster}" would be shared by machine-api, installer: put {component} into it`,
		},
		{
			"groups", head + `components:
  machine-api: {principal: CORP\OpenShift Admins}
  csi-driver: {principal: "a/b@corp", group: true}
  diagnostics: {principal: group, group: true}
  cloud-controller: {group: true}
  installer: {principal: a@corp, group: 1}
` + ok,
			`spec.yaml:5: components.machine-api.principal: "CORP\\OpenShift Admins" is a name that the CSI driver refuses for a user; if it is a group, add group: true
spec.yaml:6: components.csi-driver.principal: "a/b@corp" is not a group name: write name@domain or DOMAIN\name
spec.yaml:7: components.diagnostics.principal: "group" has no domain: write name@domain or DOMAIN\name
spec.yaml:8: components.cloud-controller.group: requires a principal
spec.yaml:9: components.installer.group: must be true or false, not a number`,
		},
		{
			"account with a domain", head + "accounts: {username: '{cluster}-{component}@vsphere.local'}\n" + ok,
			`spec.yaml:4: accounts.username: account name "{cluster}-{component}@vsphere.local" has a domain: omit it, because accounts are created in the vCenter's own SSO domain`,
		},
		{
			"account with a wrong character", head + "accounts: {username: 'ocp+{cluster} {componnt}'}\n" + ok,
			`spec.yaml:4: accounts.username: account name "ocp+c1 {componnt}": letters, digits, dots, hyphens and underscores only; {cluster}, {component} and {generation} are filled in`,
		},
		{
			"account too long", head + "accounts: {username: '" + long + "{component}'}\n" + ok,
			`spec.yaml:4: accounts.username: account name "` + long + `machine-ap..." has 81 characters, more than 64: shorten accounts.username`,
		},
		{
			"role prefix", head + "privileges: {rolePrefix: ocp/}\n" + ok,
			`spec.yaml:4: privileges.rolePrefix: "ocp/": a role's name begins with no space, and has neither control characters nor '/', '\' or '%', which vCenter escapes`,
		},
		{
			"cluster name", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: my cluster\n" + ok,
			`spec.yaml:3: cluster: cluster name "my cluster": letters, digits, dots, hyphens and underscores only, with a letter or digit at both ends`,
		},
		{
			"cluster too long for the default account", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: " + long[:50] + "\n" + ok,
			`spec.yaml:3: cluster: account name "ocp-` + long[:50] + `-machine-api" has 66 characters, more than 64: shorten accounts.username`,
		},
		{"vCenters", head + `vcenters:
- server: https://root:canary@vc1.example.com/sdk
- server: VC2.example.com
- server: vc2.example.com:443
- server: root:canary@vc3
- server: vc4/sdk
- server: "[fd00::1]"
- server: FD00:0::1
- server: 10.0.0.300
- server: vc5.example.com.
- server: "vc 6"
- server: vc7
  port: 0
  address: vc7:port
- server: vc8
  port: 65536
  address: https://canary@vc9
- port: 443
`, `spec.yaml:5: vcenters[0].server: is a URL: write only the host name, vc1.example.com
spec.yaml:7: vcenters[2].server: "vc2.example.com:443" contains a port: write "vc2.example.com", and the port "443" in its own field
spec.yaml:7: vcenters[2].server: vCenter "vc2.example.com:443" is named twice, first on line 6
spec.yaml:8: vcenters[3].server: contains an @: write only the host name, without a user
spec.yaml:9: vcenters[4].server: "vc4/sdk" contains a path: write only the host name
spec.yaml:10: vcenters[5].server: "[fd00::1]" contains brackets: write the IPv6 address without them
spec.yaml:11: vcenters[6].server: vCenter "FD00:0::1" is named twice, first on line 10
spec.yaml:12: vcenters[7].server: "10.0.0.300" is not an IP address
spec.yaml:13: vcenters[8].server: "vc5.example.com." ends with a dot: write it without the dot, as in the certificate
spec.yaml:14: vcenters[9].server: "vc 6" is not a host name: letters, digits, hyphens and dots
spec.yaml:16: vcenters[10].port: 0 is not a port: 1 to 65535
spec.yaml:17: vcenters[10].address: "port" is not a port: 1 to 65535
spec.yaml:19: vcenters[11].port: 65536 is not a port: 1 to 65535
spec.yaml:20: vcenters[11].address: is a URL: write only the host name, vc9
spec.yaml:21: vcenters[12].server is missing`},
		{
			"failure domain without anything", head + "vcenters:\n- server: vc1\n  failureDomains:\n  - {}\n  - name:\n    networks: []\n",
			`spec.yaml:7: vcenters[0].failureDomains[0].name is missing
spec.yaml:7: vcenters[0].failureDomains[0].datacenter is missing
spec.yaml:7: vcenters[0].failureDomains[0].computeCluster is missing
spec.yaml:7: vcenters[0].failureDomains[0].datastore is missing
spec.yaml:8: vcenters[0].failureDomains[1].name is missing
spec.yaml:8: vcenters[0].failureDomains[1].datacenter is missing
spec.yaml:8: vcenters[0].failureDomains[1].computeCluster is missing
spec.yaml:8: vcenters[0].failureDomains[1].datastore is missing`,
		},
		{
			"failure domain twice", site + rest + "- server: vc2\n  failureDomains:\n  - name: zone-a\n    datacenter: DC1\n" + rest,
			`spec.yaml:14: vcenters[1].failureDomains[0].name: failure domain "zone-a" is named twice, first on line 7`,
		},
		{
			"datacenter without a name", strings.Replace(site, "DC1", "/", 1) + rest,
			`spec.yaml:8: vcenters[0].failureDomains[0].datacenter: "/" has no datacenter`,
		},
		{"paths of another datacenter", site + `    computeCluster: /DC2/host/C1
    datastore: /emea/DC1/datastore/ds1
    networks: [/DC1/host/n1, n1, /DC1/network/n1/, "", 5]
    folder: DC1/vm/cluster1
    resourcePool: /DC2/host/C1/Resources/p
    template: /DC1/vm
`, `spec.yaml:9: vcenters[0].failureDomains[0].computeCluster: "/DC2/host/C1" is not in datacenter "DC1": it must begin with "/DC1/host/"
spec.yaml:10: vcenters[0].failureDomains[0].datastore: "/emea/DC1/datastore/ds1" is not in datacenter "DC1": write datacenter: "/emea/DC1" if it is that one
spec.yaml:11: vcenters[0].failureDomains[0].networks[3]: is empty
spec.yaml:11: vcenters[0].failureDomains[0].networks[4]: must be text, not a number: put it in quotes
spec.yaml:11: vcenters[0].failureDomains[0].networks[0]: "/DC1/host/n1" is not in datacenter "DC1": it must begin with "/DC1/network/"
spec.yaml:11: vcenters[0].failureDomains[0].networks[2]: network "/DC1/network/n1" is named twice, first on line 11
spec.yaml:12: vcenters[0].failureDomains[0].folder: "DC1/vm/cluster1" begins with the datacenter but not with a slash: write "/DC1/vm/cluster1"
spec.yaml:14: vcenters[0].failureDomains[0].template: "/DC1/vm" is not in datacenter "DC1": it must begin with "/DC1/vm/"`},
		{
			"pool of another cluster", site + rest + "    resourcePool: /DC1/host/C2/Resources/p\n",
			`spec.yaml:12: vcenters[0].failureDomains[0].resourcePool: "/DC1/host/C2/Resources/p" is not in compute cluster "/DC1/host/C1": it must begin with "/DC1/host/C1/Resources/"`,
		},
		{"merge of itself", head + ok + "accounts: &a\n  <<: *a\n", "spec.yaml:5: merge keys (<<) nest too deeply"},
		{"merge of text", head + ok + "accounts:\n  <<: text\n", "spec.yaml:6: a merge key (<<) takes fields, not text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("spec.yaml", []byte(c.text))
			if err == nil || s != nil {
				t.Fatalf("accepted: %+v", s)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Error("tells a secret")
			}
		})
	}
}

func TestParseUnfoldsAliases(t *testing.T) {
	s, err := Parse("spec.yaml", []byte(head+`vcenters:
- server: vc1
  failureDomains:
  - &zone {name: zone-a, datacenter: &dc DC1, computeCluster: C1, datastore: ds1, networks: &nets [n1, n2]}
  - <<: *zone
    name: zone-b
    datastore: *dc
- server: vc2
  failureDomains:
  - <<: [{name: zone-c}, *zone]
    networks: *nets
`))
	if err != nil {
		t.Fatal(err)
	}
	nets := []string{"/DC1/network/n1", "/DC1/network/n2"}
	want := []VCenter{
		{Server: "vc1", Port: 443, FailureDomains: []FailureDomain{
			{Name: "zone-a", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds1", Networks: nets},
			{Name: "zone-b", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/DC1", Networks: nets},
		}},
		{Server: "vc2", Port: 443, FailureDomains: []FailureDomain{
			{Name: "zone-c", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds1", Networks: nets},
		}},
	}
	if diff := cmp.Diff(want, s.VCenters); diff != "" {
		t.Error(diff)
	}
}

// A few kilobytes that unfold into 10^9 values are refused instead of read.
func TestParseBoundsAliases(t *testing.T) {
	many := func(name string) string { return "[" + strings.Repeat("*"+name+",", 1000) + "]" }
	text := head + "x: [&n n1, &nets [" + strings.Repeat("*n,", 1000) + "], &fd {networks: *nets}, &fds " + many("fd") +
		", &vc {failureDomains: *fds}]\nvcenters: " + many("vc") + "\n"
	_, err := Parse("spec.yaml", []byte(text))
	if err == nil || !strings.HasPrefix(err.Error(), "spec.yaml: more than 200000 values, aliases unfolded\n") {
		t.Errorf("%.300v", err)
	}
}

func TestPoolSpellings(t *testing.T) {
	for value, want := range map[string]string{
		"":                             "",
		"Resources":                    "",
		"/DC1/host/C1/Resources":       "",
		"/DC1/host/C1/Resources/":      "",
		"openshift":                    "/DC1/host/C1/Resources/openshift",
		"a/b":                          "/DC1/host/C1/Resources/a/b",
		"Resources/openshift":          "/DC1/host/C1/Resources/openshift",
		"ResourcesOfMine":              "/DC1/host/C1/Resources/ResourcesOfMine",
		"/DC1/host/C1/Resources/a//b/": "/DC1/host/C1/Resources/a/b",
	} {
		r := &reader{Reader: yamldoc.New("spec.yaml", yamldoc.Rules{})}
		if got := r.pool("/DC1/host/C1", yamldoc.Text{Value: value}); got != want || r.Count() > 0 {
			t.Errorf("%q: %q, want %q %v", value, got, want, r.Err())
		}
	}
}
