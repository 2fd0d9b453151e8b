package installconfig

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

func ini(t *testing.T, text string) *credfile.File {
	t.Helper()
	f, err := credfile.Parse("credentials", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestResolve(t *testing.T) {
	t.Parallel()
	config := "platform:\n  vsphere:\n    vcenters:\n    - server: vc.a\n      user: main@d\n      password: p\n" +
		"      componentCredentials:\n        machineAPI: {user: m@config, password: p}\n    - server: VC\n      user: main2@d\n      password: p\n"
	scoped := "platform:\n  vsphere:\n    credentialType: component-scoped\n    vcenters:\n    - server: vc.a\n" +
		"      componentCredentials:\n        machineManagement: {user: m@config, password: p}\n"
	file := "[vc.a]\nuser = i@ini\npassword = x\nmachine-api.user = m@ini\nmachine-api.password = x\ncsi-driver.user = c@ini\ncsi-driver.password = x\n" +
		"diagnostics.user = d@ini\n[vc]\ncsi-driver.user = c@vc\ncsi-driver.password = x\n[vc.a.b]\n"
	unread := ini(t, "[vc.a]\ncsi-driver.user = c@home\ncsi-driver.password = x\n")
	for name, c := range map[string]struct {
		s      Sources
		server string
		c      component.Name
		want   string
	}{
		"config":              {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginVariable}, "vc.a", "machine-api", "m@config install-config [VSPHERE_CREDENTIALS_FILE m@ini: the install-config takes precedence; shared account main@d: only for components without an account]"},
		"file":                {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginVariable, Unread: unread}, "vc.a", "csi-driver", "c@ini VSPHERE_CREDENTIALS_FILE [~/.vsphere/credentials c@home: not read, because VSPHERE_CREDENTIALS_FILE names another file; shared account main@d: only for components without an account]"},
		"default":             {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginDefault}, "vc.a", "csi-driver", "c@ini ~/.vsphere/credentials [shared account main@d: only for components without an account]"},
		"half":                {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginDefault}, "vc.a", "diagnostics", "main@d shared account [] diagnostics.user is set alone in the credentials file, so the installer ignores it"},
		"case":                {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginDefault}, "VC", "csi-driver", "main2@d shared account [] section [vc] is not read: the installer is case-sensitive"},
		"empty":               {Sources{Config: parsed(t, config), File: ini(t, "[vc.a]\ndiagnostics.user =\ndiagnostics.password =\n"), From: OriginDefault}, "vc.a", "diagnostics", " ~/.vsphere/credentials [shared account main@d: only for components without an account] diagnostics.user and diagnostics.password are empty: the installer takes them as they are"},
		"no user, inherited":  {Sources{File: ini(t, "[vc]\ndiagnostics.user =\ndiagnostics.password = p\n[vc.a]\n"), From: OriginDefault}, "vc.a", "diagnostics", " ~/.vsphere/credentials [] inherited from section [vc], because ini.v1 treats dots as levels; diagnostics.user is empty: the installer takes it as it is"},
		"no password":         {Sources{Config: parsed(t, config), File: ini(t, "[vc.a]\ndiagnostics.user = d@ini\ndiagnostics.password =\n"), From: OriginDefault}, "vc.a", "diagnostics", "d@ini ~/.vsphere/credentials [shared account main@d: only for components without an account] diagnostics.password is empty: the installer takes it as it is"},
		"installer":           {Sources{Config: parsed(t, config), File: ini(t, file), From: OriginDefault}, "vc.a", "installer", "main@d install-config [~/.vsphere/credentials i@ini: openshift-install never reads the plain user and password of a section]"},
		"inherited":           {Sources{File: ini(t, file), From: OriginDefault}, "vc.a.b", "machine-api", "m@ini ~/.vsphere/credentials [] inherited from section [vc.a], because ini.v1 treats dots as levels"},
		"no config":           {Sources{File: ini(t, file), From: OriginDefault}, "vc", "machine-api", " shared account [] only the install-config has it, which was not given"},
		"no config, i":        {Sources{File: ini(t, file), From: OriginDefault}, "vc.a", "installer", " install-config [~/.vsphere/credentials i@ini: openshift-install never reads the plain user and password of a section] only the install-config has it, which was not given"},
		"scoped":              {Sources{Config: parsed(t, scoped), File: ini(t, file), From: OriginFlag}, "vc.a", "csi-driver", " none [--credentials-file c@ini: installers with credentialType do not read a credentials file]"},
		"global":              {Sources{Config: parsed(t, strings.Replace(config, "vcenters:", "credentialType: global\n    vcenters:", 1)), File: ini(t, file), From: OriginDefault}, "vc.a", "csi-driver", "main@d shared account [~/.vsphere/credentials c@ini: installers with credentialType do not read a credentials file]"},
		"scoped profile":      {Sources{File: ini(t, file), From: OriginDefault, Form: ComponentScoped}, "vc.a", "csi-driver", " install-config [~/.vsphere/credentials c@ini: installers with credentialType do not read a credentials file] only the install-config has it, which was not given"},
		"passthrough profile": {Sources{File: ini(t, file), From: OriginDefault, Form: Passthrough}, "vc.a", "csi-driver", " shared account [~/.vsphere/credentials c@ini: released installers do not read a credentials file] only the install-config has it, which was not given"},
		"scoped i":            {Sources{Config: parsed(t, scoped), File: ini(t, ""), From: OriginFlag}, "vc.a", "installer", "m@config install-config [] openshift-install uses machineManagement"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.s.Resolve(c.server, c.c)
			var passed []string
			for _, p := range r.Overridden {
				passed = append(passed, fmt.Sprintf("%s %s: %s", p.Step, p.User, p.Why))
			}
			got := strings.TrimRight(fmt.Sprintf("%s %s [%s] %s", r.Account.User, r.Step, strings.Join(passed, "; "), r.Why), " ")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if r.Empty != strings.Contains(r.Why, "empty") {
				t.Errorf("empty: %t, and %q", r.Empty, r.Why)
			}
		})
	}
}
