package wizard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func TestFromNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 2})
	one, two := r.lab.VCenters[0], r.lab.VCenters[1]
	answers := r.answers()
	answers["vCenter"] = []string{one.Server()}
	answers["next vCenter"] = []string{two.Server()}
	answers["another failure domain?"] = []string{"yes", "no"}
	answers["another vCenter?"] = []string{"yes", "no"}
	answers["password of"] = []string{one.AdminPassword(), ""} // the same on the second
	answers["failure domain"] = []string{"zone-a", "zone b", "zone-c"}
	answers["zone b: resource pool"], answers["zone-c: resource pool"] = []string{"the cluster's root pool"}, []string{"the cluster's root pool"}
	answers["zone b: VM folder"] = []string{"create one"}
	answers["zone-c: VM folder"] = []string{"the installer creates one"}
	answers["new folder below"] = []string{"a/b c"}
	answers["zone b: template"] = []string{"use an existing one"}
	answers["zone b: is the zone a host group?"] = []string{"yes"}
	answers["zone b: networks"], answers["zone-c: networks"] = []string{"VM Network"}, []string{"VM Network"}
	answers["components"] = []string{"machine-api,csi-driver,diagnostics"}
	answers["components that use existing accounts"] = []string{"diagnostics"}
	answers["account of diagnostics"] = []string{"svc-diag@corp.example.com"}
	answers["keep svc-diag@corp.example.com?"] = []string{"yes"}
	answers["account names"] = []string{"{component}.{cluster}"}
	answers["what the cluster uses"] = []string{"vsan-file"}
	answers["roles"] = []string{"one per component"}
	answers["what now?"] = []string{"write " + r.out() + " and apply"}
	p := &person{t: t, answers: answers}
	done, s := r.run(t, p)

	dc := one.Estate().Datacenters[0].Path
	name := strings.TrimPrefix(dc, "/")
	other := strings.TrimPrefix(two.Estate().Datacenters[0].Path, "/")
	first := two.Estate().Datacenters[0]
	slices.Sort(first.Datastores)
	want := &spec.Spec{
		APIVersion: spec.APIVersion, Kind: spec.Kind, Cluster: "c9", Profile: spec.DefaultProfile,
		Privileges: spec.Privileges{
			Matrix: "default", RoleLayout: "scope", RolePrefix: "openshift-", Conditions: []string{"vsan-file", "no-managed-storageclass"},
		},
		Accounts: spec.Accounts{Username: "{component}.{cluster}"},
		Components: map[component.Name]spec.Component{
			"machine-api": {}, "csi-driver": {}, "diagnostics": {Principal: "svc-diag@corp.example.com"},
		},
		VCenters: []spec.VCenter{
			{Server: one.Server(), Port: 443, Address: one.Addr(), FailureDomains: []spec.FailureDomain{
				{
					Name: "zone-a", Datacenter: name, ComputeCluster: dc + "/host/C1", Datastore: dc + "/datastore/ds1",
					Networks: []string{dc + "/network/ocp-net", dc + "/network/VM Network"},
					Folder:   dc + "/vm/openshift/cluster1", ResourcePool: dc + "/host/C1/Resources/openshift",
				},
				{
					Name: "zone b", Datacenter: name, ComputeCluster: dc + "/host/C1", Datastore: dc + "/datastore/ds1",
					Networks: []string{dc + "/network/VM Network"}, Folder: dc + "/vm/a/b c", Template: dc + "/vm/templates/rhcos", HostGroup: true,
				},
			}},
			{Server: two.Server(), Port: 443, Address: two.Addr(), FailureDomains: []spec.FailureDomain{{
				Name: "zone-c", Datacenter: other, ComputeCluster: first.Clusters[0].Path, Datastore: first.Datastores[0],
				Networks: []string{first.Path + "/network/VM Network"},
			}}},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(- want): %s", diff)
	}
	if len(r.applied) != 1 || !r.applied[0].CreateFolders || r.applied[0].Agreed != "digest" || !done.Applied || r.verified != 1 {
		t.Errorf("applied %d times, verified %d times, done %t", len(r.applied), r.verified, done.Applied)
	}
	if l := r.applied[0].Logins[two.Server()]; l.User != two.AdminUser() || l.Password.Reveal() != two.AdminPassword() {
		t.Errorf("login of the second: %s", l.User)
	}
	if r.applied[0].Thumbprints[one.Server()] != one.Thumbprint() {
		t.Error("the accepted thumbprint is not handed on")
	}
	if shown := strings.Join(p.said, "\n"); !strings.Contains(shown, one.Thumbprint()) || !strings.Contains(shown, two.Thumbprint()) {
		t.Errorf("no thumbprint was shown: %s", shown)
	}
}

// A name is looked for while it can be typed again: what is wrong is said, with the domains that the vCenter has.
func TestAccountsAreLookedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	if err := r.lab.VCenters[0].Directory().AddUser(`CORP\svc-diag`, "S3cret!pass", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	answers := r.answers()
	answers["components that use existing accounts"] = []string{"diagnostics"}
	answers["account of diagnostics"] = []string{"svc-diag@crop.example.com", "svc-daig@corp.example.com", "nobody@corp.example.com", `CORP\svc-diag`}
	answers["keep svc-daig"] = []string{goBack}
	p := &person{t: t, answers: answers}
	_, s := r.run(t, p)
	if got := s.Components["diagnostics"].Principal; got != `CORP\svc-diag` {
		t.Errorf("the account is %q", got)
	}
	said := strings.Join(p.said, "\n")
	for _, want := range []string{
		"principal svc-diag@crop.example.com not found: no identity source has its domain", "the identity sources of this vCenter: vsphere.local, corp.example.com (CORP), localos",
		"did you mean svc-diag@corp.example.com?", "principal nobody@corp.example.com not found",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if strings.Contains(said, `CORP\svc-diag not found`) {
		t.Error(said)
	}
}

// What exists and is narrower is offered first; a wide choice is offered again once it was made, also by the next run.
func TestNarrowChoicesAreOffered(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	wide := r.answers()
	delete(wide, "zone-a: resource pool")
	delete(wide, "zone-a: VM folder")
	p := &person{t: t, answers: wide}
	r.run(t, p)
	offered := func(p *person, message string) string { return p.defaults[slices.Index(p.asked, message)] }
	if pool, folder := offered(p, "zone-a: resource pool"), offered(p, "zone-a: VM folder"); pool != "openshift" || folder != "create one" {
		t.Errorf("%q and %q are offered", pool, folder)
	}
	_ = os.Remove(r.out())
	wide = r.answers()
	wide["zone-a: resource pool"], wide["zone-a: VM folder"], wide["zone-a: networks"] = []string{"the cluster's root pool"}, []string{"the installer creates one"}, []string{interrupt}
	var stopped *StoppedError
	if _, err := Run(context.Background(), r.options(&person{t: t, answers: wide})); !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	p = &person{t: t, answers: map[string][]string{"password of": {r.lab.VCenters[0].AdminPassword()}, "zone-a: networks": {"ocp-net"}, "what now?": {"write"}}}
	_, s := r.run(t, p)
	if fd := s.VCenters[0].FailureDomains[0]; fd.ResourcePool != "" || fd.Folder != "" {
		t.Errorf("the next run makes %+v of it; offered %q", fd, p.defaults)
	}
}

func TestListsAreReadOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	answers := r.answers()
	answers["another failure domain?"] = []string{"yes", "yes", "no"}
	answers["zone-b: networks"], answers["zone-c: networks"] = []string{"VM Network"}, []string{"VM Network"}
	p := &person{t: t, answers: answers}
	r.run(t, p)
	if n := r.lab.VCenters[0].Requests()["RetrievePropertiesEx"]; n != 7 { // datacenters, clusters, pools, folders, datastores, networks, and the cluster for its tags
		t.Errorf("%d lists were read for three failure domains", n)
	}
}

// Wherever the person goes back, and however often: with the same answers the file is the same.
func TestGoingBackLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	p := &person{t: t, answers: r.answers()}
	_, want := r.run(t, p)
	questions := len(p.asked)
	rapid.Check(t, func(rt *rapid.T) {
		backs := rapid.SliceOfN(rapid.IntRange(0, questions-1), 1, 12).Draw(rt, "backs")
		p := &person{t: t, answers: r.answers()}
		p.before = func(n int, _ string) error {
			if slices.Contains(backs, n) {
				return errBack
			}
			return nil
		}
		if err := os.RemoveAll(r.out()); err != nil {
			rt.Fatal(err)
		}
		_, got := r.run(t, p)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("backs at %v: %s", backs, diff)
		}
	})
}

// The question before is asked, with the answer that it was given.
func TestBackOffersTheAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	p := &person{t: t, answers: r.answers()}
	r.run(t, p)
	given := p.defaults
	asked := p.asked
	for at := 1; at < len(asked); at++ {
		p := &person{t: t, answers: r.answers()}
		p.before = func(n int, message string) error {
			switch {
			case n == at:
				return errBack
			case n == at+1 && strings.Contains(asked[at], "is this thumbprint"):
			case n == at+1 && !slices.Contains(asked[:at], message):
				t.Errorf("back from %q led to %q", asked[at], message)
			case n == at+1:
				return ErrInterrupted
			}
			return nil
		}
		_ = os.Remove(r.out())
		_, err := Run(context.Background(), r.options(p))
		if stopped := (*StoppedError)(nil); !errors.As(err, &stopped) {
			continue
		}
		last := len(p.asked) - 1
		i := slices.Index(asked, p.asked[last])
		if want := r.answers()[p.asked[last]]; len(want) > 0 && p.defaults[last] != want[0] && p.defaults[last] != given[i] {
			t.Errorf("%q offers %q, answered was %q", p.asked[last], p.defaults[last], want[0])
		}
		_ = os.Remove(r.out() + ".draft")
	}
}

// Ctrl-C at any question: the next run offers what was answered, and leads to the same file with nothing but enter and
// the password.
func TestInterruptKeepsTheAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	p := &person{t: t, answers: r.answers()}
	_, want := r.run(t, p)
	for at := range p.asked {
		_ = os.Remove(r.out())
		p := &person{t: t, answers: r.answers(), before: func(n int, _ string) error {
			if n == at {
				return ErrInterrupted
			}
			return nil
		}}
		_, err := Run(context.Background(), r.options(p))
		var stopped *StoppedError
		if !errors.As(err, &stopped) || !stopped.Interrupted {
			t.Fatalf("question %d: %v", at, err)
		}
		if at == 0 {
			if stopped.Draft != "" {
				t.Error("nothing was kept as a draft")
			}
			continue
		}
		info, err := os.Stat(stopped.Draft)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("draft: %v, %v", info, err)
		}
		draft, _ := os.ReadFile(stopped.Draft)
		if strings.Contains(string(draft), v.AdminPassword()) || strings.Contains(string(draft), "Adm1n") {
			t.Fatalf("the draft holds the password:\n%s", draft)
		}
		// What was answered before is answered with enter now.
		rest := map[string][]string{"password of": {v.AdminPassword()}}
		for prefix, list := range r.answers() {
			if !slices.ContainsFunc(p.asked[:at], func(m string) bool { return strings.HasPrefix(m, prefix) }) {
				rest[prefix] = list
			}
		}
		again := &person{t: t, answers: rest}
		if _, got := r.run(t, again); cmp.Diff(want, got) != "" {
			t.Errorf("interrupted at %q: %s", p.asked[at], cmp.Diff(want, got))
		}
	}
}

func TestStartAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	answers := r.answers()
	answers["zone-a: datastore"] = []string{interrupt}
	if _, err := Run(context.Background(), r.options(&person{t: t, answers: answers})); err == nil {
		t.Fatal("not interrupted")
	}
	answers = r.answers()
	answers["answers from"] = []string{"start over"}
	p := &person{t: t, answers: answers}
	r.run(t, p)
	if p.asked[1] != "cluster name" || p.defaults[1] != "" {
		t.Errorf("%q offers %q", p.asked[1], p.defaults[1])
	}
}

func TestForeignDraft(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	for _, text := range []string{"", "{", `{"kind":"Pod"}`, "\x00", `{"apiVersion":"ocp-vsphere-admin/v1","kind":"ProvisioningDraft"}`} {
		_ = os.Remove(r.out())
		if err := os.WriteFile(r.out()+".draft", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.run(t, &person{t: t, answers: r.answers()})
	}
}

func TestRefusedLoginIsNotRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	answers := r.answers()
	answers["password of"] = []string{"wrong", v.AdminPassword()}
	p := &person{t: t, answers: answers}
	r.run(t, p)
	if n := v.Requests()["Login"]; n != 2 {
		t.Errorf("%d logins", n)
	}
	if !slices.ContainsFunc(p.said, func(s string) bool { return strings.Contains(s, vcenter.ErrLogin.Error()) }) {
		t.Errorf("said: %q", p.said)
	}
	if said := strings.Join(p.said, "\n"); strings.Contains(said, "wrong\n") || strings.Contains(said, v.AdminPassword()) {
		t.Errorf("a password was said: %s", said)
	}
}

// A login of the flags that one vCenter refused is not sent to the next, and to none twice, not even where a person types
// it again.
func TestRefusedLoginIsNotSentToTheNext(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 2})
	one, two := r.lab.VCenters[0], r.lab.VCenters[1]
	const user, wrong = "vi-admin@vsphere.local", "Wrong-Secret-1x"
	answers := r.answers()
	answers["next vCenter"] = []string{two.Server()}
	answers["another vCenter?"] = []string{"yes", "no"}
	answers["failure domain"] = []string{"zone-a", "zone-b"}
	answers["zone-b: networks"] = []string{"VM Network"}
	answers["administrator of"] = []string{user, one.AdminUser(), two.AdminUser()}
	answers["password of"] = []string{wrong, "Other-Secret-1x", one.AdminPassword(), two.AdminPassword()}
	p := &person{t: t, answers: answers}
	o := r.options(p)
	o.Login = func(string) (Login, bool) { return Login{user, secret.New(wrong)}, true }
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatalf("%v\nasked: %q\nsaid: %q", err, p.asked, p.said)
	}
	if !slices.ContainsFunc(p.said, func(s string) bool { return strings.Contains(s, two.Server()+": "+vcenter.ErrNotTried.Error()) }) {
		t.Errorf("said: %q", p.said)
	}
	if n := one.Requests()["Login"]; n != 3 {
		t.Errorf("the first vCenter got %d logins, want the one of the flags, another wrong one and the right one", n)
	}
	if want := "! " + one.Server() + " has already refused this user and password: they are not sent again"; !slices.Contains(p.said, want) {
		t.Errorf("%q was not said: %q", want, p.said)
	}
	if n := two.Requests()["Login"]; n != 1 {
		t.Errorf("the second vCenter got %d logins, want the right one", n)
	}
}

func TestCertificateOfAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	p := &person{t: t, answers: r.answers()}
	o := r.options(p)
	o.Thumbprints = map[string]string{v.Server(): strings.Repeat("AA:", 31) + "AA"}
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(p.said, "\n")
	for _, part := range []string{"the certificate's thumbprint is " + v.Thumbprint() + ", not AA:", "the certificate was renewed, or the connection is intercepted; compare it before you trust the new one"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is missing in: %s", part, said)
		}
	}
}

func TestProfilesDecideWhatIsAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	for _, profile := range openshift.ProfileNames() {
		_ = os.Remove(r.out())
		answers := r.answers()
		answers["profile"] = []string{profile}
		answers["components that use existing accounts"] = []string{"installer"}
		answers["account of installer"] = []string{`CORP\svc`}
		answers["keep CORP"] = []string{"yes"}
		for of, c := range map[string]string{"component-scoped": "machine-api", "kubernetes": "csi-driver"} {
			if profile == of {
				answers["components that use existing accounts"] = []string{c}
				answers["account of "+c] = []string{`CORP\svc`}
			}
		}
		p := &person{t: t, answers: answers}
		_, s := r.run(t, p)
		if s.Profile != profile {
			t.Errorf("profile %s", s.Profile)
		}
		adopted := 0
		for _, c := range s.Components {
			if c.Principal == `CORP\svc` {
				adopted++
			}
		}
		if adopted != 1 {
			t.Errorf("%s: components %v", profile, s.Components)
		}
		if one := len(s.ComponentNames()) == 1; one == slices.Contains(p.asked, "components") {
			t.Errorf("%s: asked %q", profile, p.asked)
		}
	}
}

func TestMatrixFile(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	file := r.dir + "/mine.yaml"
	text, err := os.ReadFile("../privileges/matrix/default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("name: default"), []byte("name: mine"), 1)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := privileges.Load(file); err != nil {
		t.Fatal(err)
	}
	answers := r.answers()
	answers["privilege matrix"], answers["matrix file"] = []string{"a file"}, []string{file}
	if _, s := r.run(t, &person{t: t, answers: answers}); s.Privileges.Matrix != file {
		t.Errorf("matrix %s", s.Privileges.Matrix)
	}
}

func TestNothingIsOverwrittenUnasked(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	if err := os.WriteFile(r.out(), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := r.answers()
	answers["what now?"] = []string{"write " + r.out(), "write to another file", "write"}
	answers["overwrite"] = []string{"no"}
	answers["file"] = []string{r.out() + ".2.yaml"}
	p := &person{t: t, answers: answers}
	done, err := Run(context.Background(), r.options(p))
	if err != nil || done.File != r.out()+".2.yaml" {
		t.Fatalf("%s, %v", done.File, err)
	}
	if data, _ := os.ReadFile(r.out()); string(data) != "mine" {
		t.Errorf("overwritten: %s", data)
	}
}

// What was said before the questions is not asked again, and holds for no other file.
func TestOverwriteIsSaidOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	other := r.out() + ".2.yaml"
	for _, path := range []string{r.out(), other} {
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := r.answers()
	answers["what now?"] = []string{"write to another file", "write " + other, "write to another file", "write " + r.out()}
	answers["overwrite"] = []string{"no", "yes"}
	answers["file"] = []string{other, r.out()}
	p := &person{t: t, answers: answers}
	o := r.options(p)
	o.Overwrite = true
	if done, err := Run(context.Background(), o); err != nil || done.File != r.out() {
		t.Fatalf("%s, %v", done.File, err)
	}
	asked := slices.DeleteFunc(slices.Clone(p.asked), func(q string) bool { return !strings.HasPrefix(q, "overwrite") })
	if diff := cmp.Diff([]string{"overwrite " + other + "?", "overwrite " + r.out() + "?"}, asked); diff != "" {
		t.Error(diff)
	}
	answers["what now?"] = []string{"write " + r.out()}
	delete(answers, "overwrite")
	p = &person{t: t, answers: answers}
	o = r.options(p)
	o.Overwrite = true
	if done, err := Run(context.Background(), o); err != nil || done.File != r.out() || slices.ContainsFunc(p.asked, func(q string) bool { return strings.HasPrefix(q, "overwrite") }) {
		t.Fatalf("%s, %v, asked %q", done.File, err, p.asked)
	}
}

// A draft says which certificates are trusted: one that somebody else may have written is not gone on with.
func TestLooseDraft(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	stop := &person{t: t, answers: r.answers()}
	stop.answers["zone-a: datastore"] = []string{interrupt}
	if _, err := Run(context.Background(), r.options(stop)); err == nil {
		t.Fatal("not interrupted")
	}
	if err := os.Chmod(r.out()+".draft", 0o666); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, answers: r.answers()}
	r.run(t, p)
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "provisioning.yaml.draft has insecure permissions 666") || strings.HasPrefix(p.asked[0], "answers from") {
		t.Errorf("asked %q first and said:\n%s", p.asked[0], said)
	}
}

// Where the passwords are is not asked, so a file that is written over keeps saying it: as it is spelt, while the plan and
// apply work with the file that this means.
func TestCredentialsFileOutlivesTheFile(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0].Server()
	old := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c9\ncredentialsFile: private/c9\nvcenters:\n- server: " + v + "\n"
	if err := os.WriteFile(r.out(), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := r.answers()
	answers["what now?"] = []string{"write " + r.out() + " and apply"}
	answers["overwrite"] = []string{"yes"}
	_, s := r.run(t, &person{t: t, answers: answers})
	text, err := os.ReadFile(r.out())
	if err != nil || !strings.Contains(string(text), "\ncredentialsFile: private/c9\n") {
		t.Errorf("%v: the file says:\n%s", err, text)
	}
	want := filepath.Join(r.dir, "private", "c9")
	if s.CredentialsFile != want || r.planned[0].Spec.CredentialsFile != want || r.applied[0].Spec.CredentialsFile != want {
		t.Errorf("loaded %s, planned with %s, applied with %s; want %s",
			s.CredentialsFile, r.planned[0].Spec.CredentialsFile, r.applied[0].Spec.CredentialsFile, want)
	}

	// Another file has its own, or none.
	answers["what now?"] = []string{"write to another file", "write"}
	answers["file"] = []string{r.out() + ".2.yaml"}
	if _, s := r.run(t, &person{t: t, answers: answers}); s.CredentialsFile != "" {
		t.Errorf("another file says %s", s.CredentialsFile)
	}
}

func TestPlanThatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	answers := r.answers()
	answers["the plan is incomplete"] = []string{"plan again", "write the file anyway"}
	p := &person{t: t, answers: answers}
	o := r.options(p)
	plans := 0
	o.Plan = func(_ context.Context, j Job) (string, error) {
		plans++
		if j.File != r.out() { // the commands of its hints are about it
			t.Errorf("plan %d is of %q", plans, j.File)
		}
		return "", fmt.Errorf("lost %d", plans)
	}
	done, err := Run(context.Background(), o)
	if err != nil || plans != 2 || done.File == "" {
		t.Errorf("%d plans, %v", plans, err)
	}
}

// Region and zone are those of the tags; without tags they are left out, unless they are typed.
func TestRegionAndZone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tagged       bool
		answers      map[string][]string
		region, zone string
		asked        bool // for the zone
	}{
		"tags":         {tagged: true, region: "eu", zone: "eu-a", asked: true},
		"none":         {},
		"typed":        {answers: map[string][]string{"zone-a: region": {"us"}, "zone-a: zone": {"us-1"}}, region: "us", zone: "us-1", asked: true},
		"instead":      {tagged: true, answers: map[string][]string{"zone-a: zone": {"us-1"}}, region: "eu", zone: "us-1", asked: true},
		"left out all": {tagged: true, answers: map[string][]string{"zone-a: region": {"none"}}},
	} {
		r := newRig(t, vcsim.Options{})
		if tt.tagged {
			for _, tag := range [][]string{{"/DC1", tags.Region, "eu"}, {"/DC1/host/C1", tags.Zone, "eu-a"}} {
				if err := r.lab.VCenters[0].Tag(tag[0], tag[1], tag[2]); err != nil {
					t.Fatal(err)
				}
			}
		}
		answers := r.answers()
		maps.Copy(answers, tt.answers)
		p := &person{t: t, answers: answers}
		_, s := r.run(t, p)
		if fd := s.VCenters[0].FailureDomains[0]; fd.Region != tt.region || fd.Zone != tt.zone || slices.Contains(p.asked, "zone-a: zone") != tt.asked {
			t.Errorf("%s: region %q, zone %q, asked %q", name, fd.Region, fd.Zone, p.asked)
		}
	}
}

// A matrix that has nothing for the components of a cluster is none for it.
func TestMatricesOfClusters(t *testing.T) {
	t.Parallel()
	w := &wizard{a: blank(), o: Options{Ask: &lister{}}}
	if _, err := w.matrix(t.Context(), step{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"default", "enhancement", "documented", "component-scoped", "minimal", "a file of my own"}
	if diff := cmp.Diff(want, w.o.Ask.(*lister).labels); diff != "" {
		t.Errorf("(- want): %s", diff)
	}
}

// lister answers with the default, and keeps what a list offers.
type lister struct {
	Asker
	labels []string
}

func (l *lister) Select(_ context.Context, q Choice) (int, error) {
	for _, e := range q.Entries {
		l.labels = append(l.labels, e.Label)
	}
	return q.Default, nil
}

// What has no name's shape, or is a password that was typed before, is asked for again: it would be shown and kept.
func TestAPastedPasswordIsNoName(t *testing.T) {
	t.Parallel()
	checks := map[string]func(string) error{}
	w := &wizard{a: blank(), last: Login{"administrator@vsphere.local", secret.New("Secret-1")}, o: Options{Ask: &checker{checks: checks}}}
	for _, question := range []func(context.Context, step) (step, error){w.cluster, w.server, w.username} {
		if _, err := question(t.Context(), step{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.askLogin(t.Context(), "vc1"); err != nil {
		t.Fatal(err)
	}
	for message, refused := range map[string][]string{
		"cluster name": {"Secret-1"}, "vCenter": {"Secret-1"}, "account names": {"Secret-1"},
		"administrator of vc1": {"Secret-1", "P@ssw0rd!", "pass word@x", "VMware1!"},
	} {
		for _, text := range refused {
			if err := checks[message](text); err == nil || strings.Contains(err.Error(), "Secret-1") {
				t.Errorf("%s: %q: %v", message, text, err)
			}
		}
	}
	if err := checks["cluster name"](strings.Repeat("c", 60)); err == nil || !strings.Contains(err.Error(), "more than 64") {
		t.Errorf("a cluster name that makes account names too long: %v", err)
	}
	for _, good := range []string{"administrator@vsphere.local", `CORP\ops`, "first.last@corp.example.com"} {
		if err := checks["administrator of vc1"](good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// checker keeps the checks of its questions.
type checker struct {
	Asker
	checks map[string]func(string) error
}

func (c *checker) Input(_ context.Context, q Line) (string, error) {
	c.checks[q.Message] = q.Check
	return "vc1", nil
}

func (c *checker) Password(context.Context, Line) (string, error) { return "x", nil }
