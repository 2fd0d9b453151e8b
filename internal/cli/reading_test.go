package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

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
		fake := termtest.NewFake().WithTerminal(58, 40)
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
		fake := termtest.NewFake()
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
