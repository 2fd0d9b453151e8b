package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

func TestReadingWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(term.NewFake().Streams, command.Build{})
	lists := func(check func(*RolesListOptions)) *cobra.Command {
		return newCmdRolesList(f, func(o *RolesListOptions) error { check(o); return nil })
	}
	run := func(cmd *cobra.Command, words string) error {
		return program.Parse(t, f, cmd, append([]string{cmd.Name()}, strings.Fields(words)...)...)
	}
	err := run(lists(func(o *RolesListOptions) {
		if !o.All || !o.Privileges || o.Only != plan.Role || !o.ReadOnly || o.Topology.Folder != command.TopologyCreated {
			t.Errorf("roles list: %+v", o)
		}
	}), "--vcenters a --all --privileges --folder created")
	if err != nil {
		t.Error(err)
	}
	if err := run(newCmdRolesList(f, nil), "--vcenters a b"); err == nil {
		t.Error("roles list takes a word")
	}
	if err := run(newCmdRolesDiff(f, func(o *RolesDiffOptions) error { return nil }), "--vcenters a --all"); err != nil {
		t.Error(err)
	}
	err = run(newCmdUsersList(f, func(o *UsersListOptions) error {
		if o.Only != plan.User || !o.ReadOnly || o.Cluster != "c1" {
			t.Errorf("users list: %+v", o)
		}
		return nil
	}), "--vcenters a --cluster c1")
	if err != nil {
		t.Error(err)
	}
	for words, want := range map[string]string{
		"--principal a@b --object /DC1 --inherited": "",
		"--all":                             "",
		"--all --object /DC1":               "all",
		"--inherited":                       "--object is required",
		"--principal bob":                   "bob has no domain",
		`--principal CORP\bob --object DC1`: "is not an inventory path",
	} {
		err := run(newCmdPermissionsList(f, func(*PermissionsListOptions) error { return nil }), "--vcenters a "+words)
		if want == "" && err != nil {
			t.Errorf("permissions list %s: %v", words, err)
		} else if want != "" {
			clitest.WantErr(t, err, want)
		}
	}
	for words, want := range map[string]string{
		"--principal a@b --object / --object /DC1":              "",
		"--components csi-driver --scope datastore --object /x": "",
		"--principal a@b": "--object is required",
		"--object /":      "--principal is required",
		"--principal a@b --object / --scope datastore":      "requires --component",
		"--components csi --object /":                       `did you mean "csi-driver"`,
		"--components csi-driver --scope dstore --object /": "--scope",
		"--components csi-driver --group --object /":        "requires --principal",
		"--principal a --object /":                          "has no domain",
	} {
		err := run(newCmdPermissionsCheck(f, func(*PermissionsCheckOptions) error { return nil }), "--vcenters a "+words)
		if want == "" && err != nil {
			t.Errorf("permissions check %s: %v", words, err)
		} else if want != "" {
			if err == nil {
				t.Errorf("permissions check %s: no error", words)
				continue
			}
			fake := term.NewFake()
			fake.PrintError(command.Program, err)
			clitest.WantText(t, words, fake.Stderr.String(), want)
		}
	}
}

// The states of a role in words.
func TestRoleState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role inspect.Role
		want string
	}{
		{inspect.Role{State: inspect.RoleSame}, "same"},
		{inspect.Role{State: inspect.RoleSame, Unused: true}, "same, unused"},
		{inspect.Role{State: inspect.RoleDiffers, Missing: []string{"a", "b"}, Excess: []string{"c"}}, "missing 2, excess 1"},
		{inspect.Role{State: inspect.RoleAbsent, Missing: []string{"a"}, Unused: true}, "no such role"},
		{inspect.Role{State: inspect.RoleUnwanted, Unused: true}, "not wanted, unused"},
	} {
		if got := roleState(c.role); got != c.want {
			t.Errorf("%+v: %q, want %q", c.role, got, c.want)
		}
	}
}

// What is known of a password's days, and what is not, in words.
func TestDaysLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		life int
		user inspect.User
		want string
	}{
		{90, inspect.User{DaysLeft: new(12), DaysLeftAtMost: new(90)}, "12"},
		{90, inspect.User{DaysLeft: new(0), DaysLeftAtMost: new(90)}, "expires today"},
		{90, inspect.User{DaysLeft: new(-3), DaysLeftAtMost: new(90)}, "expired 3 days ago"},
		{90, inspect.User{DaysLeft: new(0), DaysLeftAtMost: new(90), Source: sso.SourceSSO}, "expired"},
		{90, inspect.User{Source: sso.SourceSSO}, "no end"},
		{90, inspect.User{DaysLeftAtMost: new(90)}, "at most 90"},
		{90, inspect.User{}, "unknown"},
		{0, inspect.User{}, "no end"},
		{0, inspect.User{Adopted: true}, "unknown"},
	} {
		d := inspect.UserDomain{Password: inspect.PasswordPolicy{LifetimeDays: c.life}}
		if got := left(d, c.user); got != c.want {
			t.Errorf("%+v: %q, want %q", c.user, got, c.want)
		}
	}
}

// In a narrow terminal names of accounts, objects and roles stay whole.
func TestReadingNarrow(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v := lab.VCenters[0]
	flags := []string{
		"--vcenters", v.Server(), "--connect-to", v.Server() + "=" + v.Addr(), "--cacert", clitest.WriteFile(t, "ca.pem", string(lab.CA), 0o600),
		"--admin-user", v.AdminUser(), "--admin-password-file", clitest.WriteFile(t, "password", v.AdminPassword(), 0o600), "--no-color",
	}
	for words, whole := range map[string]string{
		"permissions list --all": `    VSPHERE.LOCAL\Administrator           Admin`,
		"permissions check --principal administrator@vsphere.local --object /DC1/vm/legacy/mail": `PRINCIPAL      group VSPHERE.LOCAL\Administrators`,
		"roles list --all": "openshift-cloud-controller-datastore",
	} {
		fake := term.NewFake().WithTerminal(58, 40)
		if code := Run(context.Background(), fake.Streams, append(strings.Fields(words), flags...)); code != command.ExitDone {
			t.Fatalf("%s: exit code %d\n%s", words, code, fake.Stderr.String())
		}
		out := fake.Stdout.String()
		clitest.WantText(t, words, out, whole)
		_, rows, _ := strings.Cut(out, "\n") // the sentence before a table is the terminal's to wrap
		for line := range strings.Lines(rows) {
			if n := len(strings.TrimRight(line, "\n")); n > 58 {
				t.Errorf("%s: %d columns: %s", words, n, line)
			}
		}
	}
}

// JSON names its lists whether they are empty or not, so that nobody has to look for null.
func TestReadingJSONHasNoNullLists(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v := lab.VCenters[0]
	flags := []string{
		"--vcenters", v.Server(), "--connect-to", v.Server() + "=" + v.Addr(), "--cacert", clitest.WriteFile(t, "ca.pem", string(lab.CA), 0o600),
		"--admin-user", v.AdminUser(), "--admin-password-file", clitest.WriteFile(t, "password", v.AdminPassword(), 0o600), "-o", "json",
	}
	for _, c := range []struct {
		words, kind string
		code        int
	}{
		{"roles list --all", inspect.KindRoles, command.ExitDone},
		{"roles diff", inspect.KindRolesDiff, command.ExitDifferent},
		{"users list --cluster c1", inspect.KindUsers, command.ExitDone},
		{"permissions list --all", inspect.KindPermissions, command.ExitDone},
		{"permissions check --principal backup-svc@vsphere.local --object /DC1/network", inspect.KindCheck, command.ExitDone},
	} {
		fake := term.NewFake()
		fake.Env["VSPHERE_CREDENTIALS_FILE"] = filepath.Join(t.TempDir(), "credentials")
		if code := Run(context.Background(), fake.Streams, append(strings.Fields(c.words), flags...)); code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.words, code, c.code, fake.Stderr.String())
			continue
		}
		clitest.Document(t, c.kind, fake.Stdout.String())
		for line := range strings.Lines(fake.Stdout.String()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if strings.HasPrefix(value, "null") && !slices.Contains([]string{`"passwordSet"`, `"passwordAgeDays"`, `"daysLeft"`, `"daysLeftAtMost"`}, name) {
				t.Errorf("%s: %s is null", c.words, name)
			}
		}
	}
}
