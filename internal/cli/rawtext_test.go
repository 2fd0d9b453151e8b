package cli

import (
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// What a vCenter may send in a name. A provisioning file takes hiding signs, but no control characters; everything else
// of a vCenter takes both.
const (
	hiding  = "\u202e\u2066\u200b\u061c\u00ad"
	hostile = hiding + "\u009b31m\u2028\ufeff\t\n+ role forged\n  + role forged"
	reason  = "Bad\x1b[31m\x07" + hiding + "\xff"
)

// own are the signs of ours: colours, and the lines that progress draws over.
var own = regexp.MustCompile(`\x1b\[([012]|3[123])m|\r\x1b\[\d+A\x1b\[J`)

// rawSign names the first sign of a text that must not get out; it is written apart from the filter that it tests.
func rawSign(text string) string {
	for i, r := range text {
		switch {
		case r == '\n':
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0xad, r == 0x61c, r == 0x200b, r == 0x200e, r == 0x200f,
			r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff, r == utf8.RuneError:
			return fmt.Sprintf("%q, in %q", r, text[max(0, i-60):min(len(text), i+20)])
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " !|"), "+ role forged") {
			return fmt.Sprintf("the forged line %q", line)
		}
	}
	return ""
}

func TestRawSignsAreFound(t *testing.T) {
	t.Parallel()
	for _, r := range hiding + hostile + "\x1b\x07" {
		if r != '\n' && (r < ' ' || r > '~') && rawSign("a"+string(r)+"b") == "" {
			t.Errorf("%q is not found", r)
		}
	}
	if rawSign("x\n  + role forged") == "" || rawSign("é日🏢\n+ role ours") != "" || rawSign("\xff") == "" {
		t.Error("forged lines or invalid bytes are not found, or others are")
	}
}

// hostileLab is a vCenter whose objects, roles, principals and marks have such names.
func hostileLab(t *testing.T) (*printing, *vcsim.VCenter, string) {
	t.Helper()
	p, lab, files := newLab(t, vcsim.Options{VCenters: 1, Estate: vcsim.EstateOptions{Suffix: hiding}})
	v := lab.VCenters[0]
	s, err := spec.Load(files.Spec)
	if err != nil {
		t.Fatal(err)
	}
	fd := &s.VCenters[0].FailureDomains[0]
	fd.Networks = []string{v.Estate().Datacenters[0].Networks[1].Path}
	s.Components = map[component.Name]spec.Component{"csi-driver": {}, "diagnostics": {Principal: "diag@" + v.Directory().Domain()}}
	if err := os.WriteFile(files.Spec, s.YAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, details := range map[string]directory.Details{
		"diag":          {Description: hostile},
		"eve" + hostile: {Description: hostile},
		"ocp-other":     {Description: "OpenShift cluster other" + hiding + "\u009b, component csi-driver; made by ocp-vsphere-admin"},
	} {
		if err := v.Directory().AddUser(name, "Secr3t!Secr3t!", details); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Directory().AddGroup("crew"+hostile, hostile); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	authz := object.NewAuthorizationManager(client)
	role, err := authz.AddRole(ctx, "audit"+hostile, []string{"Datastore.Browse"})
	if err != nil {
		t.Fatal(err)
	}
	dc, err := object.NewSearchIndex(client).FindByInventoryPath(ctx, fd.DatacenterPath())
	if err != nil || dc == nil {
		t.Fatal(dc, err)
	}
	err = authz.SetEntityPermissions(ctx, dc.Reference(), []types.Permission{
		{Principal: "diag@" + v.Directory().Domain(), RoleId: role},
		{Principal: "eve" + hostile + "@" + v.Directory().Domain(), RoleId: role, Propagate: true},
		{Principal: "crew" + hostile + "@" + v.Directory().Domain(), Group: true, RoleId: role, Propagate: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	folders, err := object.NewDatacenter(client, dc.Reference()).Folders(ctx)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := folders.VmFolder.CreateFolder(ctx, "f"+hostile)
	if err != nil {
		t.Fatal(err)
	}
	if err := authz.SetEntityPermissions(ctx, folder.Reference(), []types.Permission{{Principal: "diag@" + v.Directory().Domain(), RoleId: role}}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(files.Spec)
	p.words["plan"] += " --work-order " + filepath.Join(dir, "order.md") + " --out " + filepath.Join(dir, "plan.json") + " --force"
	p.words["permissions list"] += " --all"
	p.words["roles list"] += " --all --privileges"
	p.words["roles diff"] += " --all"
	p.words["users list"] += " --all"
	p.words["permissions check"] = " -f " + files.Spec + " --components csi-driver --object " + fd.Datastore
	p.words["destroy"] = " -f " + files.Spec + " --yes"
	return p, v, dir
}

// silent checks all that a run printed, and the files that it may have written.
func silent(t *testing.T, what, dir, stdout, stderr string) {
	t.Helper()
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
		if bad := rawSign(own.ReplaceAllString(text, "")); bad != "" {
			t.Errorf("%s: %s has %s", what, name, bad)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bad := rawSign(string(text)); bad != "" {
			t.Errorf("%s: %s has %s", what, path, bad)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// No name of a vCenter and no text of a fault steers the terminal, hides, or forges a line, whatever command prints it, in
// whatever format, on a terminal, in a pipe or in a file.
func TestNoRawTextGetsOut(t *testing.T) {
	t.Parallel()
	p, v, dir := hostileLab(t)
	shown := 0
	try := func(what string, fake *termtest.Fake, more ...string) {
		t.Helper()
		verb := strings.Fields(what + p.words[what])
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
		code, stdout, stderr := program.Run(t, fake, append(verb, more...)...)
		what = fmt.Sprintf("%s %s (exit code %d)", what, more, code)
		silent(t, what, dir, stdout, stderr)
		shown += strings.Count(stdout+stderr, `\u202e`)
		if code == command.ExitPartly {
			t.Errorf("%s: %s", what, stderr)
		}
	}
	each := func(do func(verb string)) {
		p.each(t, func(verb string) {
			if verb != "apply" && verb != "destroy" {
				do(verb)
			}
		})
	}
	each(func(verb string) {
		try(verb, termtest.NewFake())
		try(verb, termtest.NewFake().WithTerminal(50, 40), "--verbose")
		try(verb, termtest.NewFake(), "-o", "yaml")
	})
	if shown < 50 {
		t.Errorf("the names were shown %d times: this test proves nothing", shown)
	}
	order, err := os.ReadFile(filepath.Join(dir, "order.md"))
	if err != nil || !strings.Contains(string(order), `\u202e`) || !strings.Contains(string(order), `$'`) || !strings.Contains(string(order), "ConvertFromUtf32") {
		t.Errorf("the work order does not name what is hostile: %v\n%s", err, order)
	}
	try("apply", termtest.NewFake())
	each(func(verb string) {
		try(verb, termtest.NewFake().WithTerminal(120, 40))
		try(verb, termtest.NewFake(), "-o", "json")
	})

	shown = 0
	for _, fault := range []vcsim.Fault{{Kind: vcsim.Worded, Text: "no" + hostile}, {Kind: vcsim.Reasoned, Text: reason}} {
		for _, from := range []int{1, 3, 8, 20} {
			v.SetFault(func(n int, _ string) vcsim.Fault {
				if n < from {
					return vcsim.Fault{}
				}
				return fault
			})
			for _, verb := range []string{"doctor", "plan", "verify", "destroy", "users list", "permissions check"} {
				try(verb, termtest.NewFake())
			}
			try("plan", termtest.NewFake().WithTerminal(100, 40), "-o", "json")
		}
	}
	v.SetFault(nil)
	if shown < 50 {
		t.Errorf("the faults were shown %d times: this test proves nothing", shown)
	}
	try("destroy", termtest.NewFake().WithTerminal(100, 40))
}

// The address of somebody else's server: neither the names in its certificate nor what it answers get out raw.
func TestNoRawCertificateGetsOut(t *testing.T) {
	t.Parallel()
	names := []string{"evil" + hiding + "\u009b2J\n+ role forged"}
	address, ca := hostileServer(t, names)
	dir := t.TempDir()
	trusted := filepath.Join(dir, "trusted.pem")
	if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca}), 0o600); err != nil {
		t.Fatal(err)
	}
	password := clitest.WriteFile(t, "password", "x\n", 0o600)
	for _, more := range [][]string{{}, {"--cacert", trusted}, {"--insecure"}} {
		for _, verb := range []string{"roles list", "permissions list --cluster c1"} {
			words := append(strings.Fields(verb), "--vcenters", "vcenter1.example.com", "--connect-to", "vcenter1.example.com="+address,
				"--admin-user", "a@vsphere.local", "--admin-password-file", password, "--no-input")
			fake := termtest.NewFake()
			fake.Home = dir
			code, stdout, stderr := program.Run(t, fake, append(words, more...)...)
			if code == command.ExitDone {
				t.Errorf("%s %v: %s", verb, more, stdout)
			}
			silent(t, verb, dir, stdout, stderr)
			if len(more) != 1 && !strings.Contains(stdout+stderr, "certificate") {
				t.Errorf("%s %v says nothing of the certificate:\n%s%s", verb, more, stdout, stderr)
			}
		}
	}
}
