package vcsimtests

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// labKey is where a script's lab hangs.
type labKey struct{}

// bench is a script's lab with what was remembered of it.
type bench struct {
	lab   *vcsim.Lab
	flags []string // point a command at it; a script writes @lab
	sim   *simulator

	worker *worker // of runProgram

	unlock func() // of hold
}

func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"lab":         cmdLab,
		"fault":       cmdFault,
		"requests":    cmdRequests,
		"rights":      cmdRights,
		"estate":      cmdEstate,
		"behind":      cmdBehind,
		"run":         cmdRun,
		"interrupt":   cmdInterrupt,
		"serve":       cmdServe,
		"says":        cmdSays,
		"remember":    cmdRemember,
		"unchanged":   cmdUnchanged,
		"json":        cmdJSON,
		"json-count":  cmdJSONCount,
		"same-json":   cmdSameJSON,
		"json-fields": cmdJSONFields,
		"secrets":     cmdSecrets,
		"secret":      cmdSecret,
		"ini":         cmdINI,
		"mode":        cmdMode,
		"edit":        cmdEdit,
		"mask":        cmdMask,
		"splice":      cmdSplice,
		"reseal":      cmdReseal,
		"digest":      cmdDigest,
		"long":        cmdLong,
		"examples":    cmdExamples,
		"hold":        cmdHold,
		"canary":      cmdCanary,
		"plain":       cmdPlain,
		"govc":        cmdGovc,
		"govc-wide":   cmdWideGovc,
		"order":       cmdOrder,
		"age":         cmdAge,
		"keys":        cmdKeys,
		"proxy":       cmdProxy,
		"whole":       cmdWhole,
	}
}

func benchOf(ts *testscript.TestScript) *bench {
	b, ok := ts.Value(labKey{}).(*bench)
	if !ok {
		ts.Fatalf("the script has no lab yet")
	}
	return b
}

// vcenter finds one by number (1) or by name.
func (b *bench) vcenter(ts *testscript.TestScript, name string) *vcsim.VCenter {
	for i, v := range b.lab.VCenters {
		if name == v.Server() || name == fmt.Sprint(i+1) {
			return v
		}
	}
	ts.Fatalf("the lab has no vCenter %s", name)
	return nil
}

// cmdLab starts simulated vCenters and writes what a person would have: install-config.yaml, infrastructure.yaml and
// spec.yaml (the same), admin.ini with the administrators' passwords, and ca.pem.
//
//	lab [-n 2] [-linked] [-domain d] [-without id,id] [-seed n] [-foreign] [-latency d] [-user-delay d] [-skew d] [-release r,r]
//
// It sets VC1, VC1_ADDR, VC1_THUMBPRINT, ADMIN, ADMIN_PASSWORD, and the same for VC2 and so on.
func cmdLab(ts *testscript.TestScript, neg bool, args []string) {
	var o vcsim.Options
	var without, release string
	var skew time.Duration
	flags := flag.NewFlagSet("lab", flag.ContinueOnError)
	flags.IntVar(&o.VCenters, "n", 1, "")
	flags.BoolVar(&o.Linked, "linked", false, "")
	flags.StringVar(&o.Domain, "domain", "", "")
	flags.StringVar(&without, "without", "", "")
	flags.StringVar(&release, "release", "", "")
	flags.Uint64Var(&o.Estate.Seed, "seed", 0, "")
	flags.BoolVar(&o.Estate.Foreign, "foreign", false, "")
	flags.DurationVar(&o.Latency, "latency", 0, "")
	flags.DurationVar(&o.UserDelay, "user-delay", 0, "")
	flags.DurationVar(&skew, "skew", 0, "")
	ts.Check(flags.Parse(args))
	if without != "" {
		o.Without = strings.Split(without, ",")
	}
	if release != "" {
		o.Releases = strings.Split(release, ",")
	}
	if skew != 0 {
		o.Now = func() time.Time { return time.Now().Add(skew) }
	}
	lab, err := vcsim.Start(o)
	ts.Check(err)
	ts.Defer(lab.Close)
	b := benchOf(ts)
	b.lab = lab
	b.write(ts)
}

func (b *bench) write(ts *testscript.TestScript) {
	ini, ca := ts.MkAbs("admin.ini"), ts.MkAbs("ca.pem")
	var logins strings.Builder
	b.flags = []string{"--cacert", ca, "--admin-credentials", ini}
	for i, v := range b.lab.VCenters {
		fmt.Fprintf(&logins, "[%s]\nuser = %s\npassword = `%s`\n\n", v.Server(), v.AdminUser(), v.AdminPassword())
		b.flags = append(b.flags, "--connect-to", v.Server()+"="+v.Addr())
		n := fmt.Sprintf("VC%d", i+1)
		ts.Setenv(n, v.Server())
		ts.Setenv(n+"_ADDR", v.Addr())
		ts.Setenv(n+"_THUMBPRINT", v.Thumbprint())
	}
	ts.Setenv("ADMIN", b.lab.VCenters[0].AdminUser())
	ts.Setenv("ADMIN_PASSWORD", b.lab.VCenters[0].AdminPassword())
	domains := domains(b.lab)
	ts.Check(errors.Join(
		os.WriteFile(ini, []byte(logins.String()), 0o600),
		os.WriteFile(ca, b.lab.CA, 0o600),
		os.WriteFile(ts.MkAbs("install-config.yaml"), []byte(installConfig(domains)), 0o600),
		os.WriteFile(ts.MkAbs("infrastructure.yaml"), []byte(infrastructure(domains)), 0o600),
		os.WriteFile(ts.MkAbs("spec.yaml"), []byte(provisioning(domains)), 0o600),
	))
}

// domain is a failure domain of the install-config, one per vCenter.
type domain struct {
	server, datacenter, network string
	fields                      []string // the rest, "name: value"
}

func (d domain) fieldsWith(network string) []string {
	return slices.Insert(slices.Clone(d.fields), 2, "networks: ["+quote(network)+"]")
}

// domains names what is there: on odd vCenters a template, on even ones a resource pool, so that both ways are walked.
func domains(lab *vcsim.Lab) []domain {
	var all []domain
	for i, v := range lab.VCenters {
		dcs := v.Estate().Datacenters
		at := max(0, slices.IndexFunc(dcs, func(dc vcsim.Datacenter) bool {
			return len(dc.Clusters) > 0 && len(dc.Datastores) > 0 && len(dc.Networks) > 0 && len(dc.Folders) > 0
		}))
		dc := dcs[at]
		network, folder := dc.Networks[0].Path, dc.Folders[0]
		for _, n := range dc.Networks {
			if i%2 == 0 && n.Switch != "" {
				network = n.Path
			}
		}
		for _, f := range dc.Folders {
			if path.Base(f) == "cluster1" {
				folder = f
			}
		}
		fields := []string{
			"computeCluster: " + quote(dc.Clusters[0].Path), "datastore: " + quote(dc.Datastores[0]),
			"folder: " + quote(folder),
		}
		if i%2 == 0 && len(dc.Templates) > 0 {
			fields = append(fields, "template: "+quote(dc.Templates[0]))
		}
		if i%2 == 1 && len(dc.Clusters[0].Pools) > 0 {
			fields = append(fields, "resourcePool: "+quote(dc.Clusters[0].Pools[0]))
		}
		all = append(all, domain{v.Server(), strings.TrimPrefix(dc.Path, "/"), network, fields})
	}
	return all
}

// quote leaves plain words as they are, so that scripts can edit them.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-") == "" {
		return s
	}
	return fmt.Sprintf("%q", s)
}

func installConfig(all []domain) string {
	return "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: cluster1\nplatform:\n  vsphere:\n" + topology(all, "    ")
}

// infrastructure is what the cluster of installConfig says of itself.
func infrastructure(all []domain) string {
	return "apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata:\n  name: cluster\nspec:\n  platformSpec:\n    type: VSphere\n    vsphere:\n" +
		topology(all, "      ") +
		"status:\n  apiServerURL: https://api.cluster1.example.com:6443\n  infrastructureName: cluster1-x7k2p\n"
}

// topology is what both have, each of its lines behind an indent.
func topology(all []domain, indent string) string {
	var b strings.Builder
	b.WriteString("vcenters:\n")
	for _, d := range all {
		fmt.Fprintf(&b, "- server: %s\n  datacenters: [%s]\n", d.server, quote(d.datacenter))
	}
	b.WriteString("failureDomains:\n")
	for i, d := range all {
		fmt.Fprintf(&b, "- name: zone-%s\n  server: %s\n  region: region-%[1]s\n  zone: zone-%[1]s\n  topology:\n    datacenter: %[3]s\n", zone(i), d.server, quote(d.datacenter))
		for _, f := range d.fieldsWith(path.Base(d.network)) { // openshift-install looks for a name
			fmt.Fprintf(&b, "    %s\n", f)
		}
	}
	return indent + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\n"+indent) + "\n"
}

// zone is the name of the nth failure domain: a, b and so on, and numbers where the letters end.
func zone(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}
	return fmt.Sprint(n + 1)
}

func provisioning(all []domain) string {
	var b strings.Builder
	b.WriteString("apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: cluster1\nvcenters:\n")
	for i, d := range all {
		fmt.Fprintf(&b, "- server: %s\n  failureDomains:\n  - name: zone-%s\n    datacenter: %s\n", d.server, zone(i), quote(d.datacenter))
		for _, f := range d.fieldsWith(d.network) {
			fmt.Fprintf(&b, "    %s\n", f)
		}
	}
	return b.String()
}
