package credfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for _, v := range []string{
		"REPLACE_WITH_INSTALLER_PASSWORD", "REPLACE_WITH_CSI_PASSWORD", // of the enhancement's script
		"<installer-password>", "<machine-api-password-vc2>", "<password-vc1>", // of its examples
		"<ccm-password>", "<password>", "<PASSWORD>", "<your password>", "<Your Password>", "<VC1_PASSWORD>", "<fill-me-in>",
		"REPLACE_ME", "CHANGE_ME", "FILL_ME_IN", "TODO", "TBD", "...",
		"vcenterplaceholder", "usernameplaceholder", "passwordplaceholder", "datacenterplaceholder", "defaultdatastoreplaceholder", // of the Assisted Installer
	} {
		if !Placeholder(v) {
			t.Errorf("%s is taken for a password", v)
		}
	}
	for _, v := range []string{
		"", "password", "changeme", "CHANGEME", "Changeme1!", "CHANGE-2024", "replace_me", "todo", "<", "<>", "<3", "<redact", "a<b-c>", "<aB3-xQ9>", "<Vm!pw-9>",
		"<correct>", "<a-b", "....", "<p@ss-word>", "<ab-cd>!", "TODO!", "REPLACE_WITH_", "REPLACE_WITH_x", "<Zk-qP>", "<1-2", "secret-password", "machine-api-password",
		"placeholder", "Passwordplaceholder", "my-passwordplaceholder", "vcenterplaceholder.example.com",
	} {
		if Placeholder(v) {
			t.Errorf("%s is taken for a placeholder", v)
		}
	}
}

// A password with a sign that no placeholder has is none, wherever its angle brackets are.
func TestPasswordsWithSignsAreNoPlaceholders(t *testing.T) {
	t.Parallel()
	word := rapid.StringOf(rapid.RuneFrom([]rune("abXY019<>-_. ")))
	rapid.Check(t, func(t *rapid.T) {
		sign := rapid.SampledFrom([]string{"!", "#", "$", "%", "+", "=", "@", "~", ",", "*"}).Draw(t, "sign")
		if v := "<" + word.Draw(t, "before") + sign + word.Draw(t, "behind") + ">"; Placeholder(v) {
			t.Errorf("%q is taken for a placeholder", v)
		}
	})
}

func TestUnfilledAccounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		user, password string
		want           []string
	}{
		{"ocp-csi@vsphere.local", "c#1", nil},
		{"ocp-csi@vsphere.local", "<csi-password>", []string{"password"}},
		{"REPLACE_WITH_USER@vsphere.local", "c#1", []string{"user"}},
		{`CORP\<user>`, "c#1", []string{"user"}},
		{"ocp-<cluster>-csi@vsphere.local", "c#1", []string{"user"}},
		{"...", "...", []string{"user", "password"}},
		{"", "", nil},
	} {
		if diff := cmp.Diff(c.want, Account{c.user, secret.New(c.password)}.Unfilled()); diff != "" {
			t.Errorf("%s: %s", c.user, diff)
		}
	}
}

// The enhancement's own template is refused account by account, each with its line; nothing of it is in the error.
func TestCheckFilled(t *testing.T) {
	t.Parallel()
	f, err := Parse("credentials", []byte("# a template\n[vc1.example.com]\nuser = ocp-installer@vsphere.local\npassword = REPLACE_WITH_INSTALLER_PASSWORD\n\n"+
		"machine-api.user = ocp-machine-api@vsphere.local\nmachine-api.password = REPLACE_WITH_MACHINE_API_PASSWORD\n"+
		"csi-driver.user = ocp-csi@vsphere.local\ncsi-driver.password = `real#1`\n\n"+
		"[a.example]\ndiagnostics.user = d@d\ndiagnostics.password = <diagnostics-password>\n[a.example.com]\nuser = u@d\npassword = x\n"))
	if err != nil {
		t.Fatal(err)
	}
	take := func(server string, names ...component.Name) map[string]map[component.Name]Account {
		all := map[component.Name]Account{}
		for _, c := range names {
			a, ok := f.Get(server, c)
			if !ok {
				a, _ = f.Get(server, component.Installer)
			}
			all[c] = a
		}
		return map[string]map[component.Name]Account{server: all}
	}
	for _, c := range []struct {
		accounts map[string]map[component.Name]Account
		want     []string
	}{
		{take("vc1.example.com", "csi-driver"), nil},
		{take("vc1.example.com", "csi-driver", "machine-api"), []string{"credentials:7: [vc1.example.com] machine-api.password is a placeholder: fill it in"}},
		{take("vc1.example.com", "cloud-controller"), []string{"credentials:4: [vc1.example.com] password is a placeholder: fill it in"}}, // the main one
		{take("a.example.com", "diagnostics"), []string{"credentials:13: [a.example] diagnostics.password is a placeholder: fill it in"}},
	} {
		err := f.CheckFilled(c.accounts)
		var got []string
		if err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != errors.Is(err, ErrPlaceholder) {
			t.Errorf("%v: %s", err, diff)
		}
	}
}

func TestAnUnfilledAccountIsUnusable(t *testing.T) {
	t.Parallel()
	if why := (Account{"a@b", secret.New("REPLACE_WITH_PASSWORD")}).Unusable(); !strings.Contains(why, "the password is a placeholder") {
		t.Errorf("%q", why)
	}
}
