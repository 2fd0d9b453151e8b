package kubetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// account is one login of a component on one vCenter.
type account struct{ user, password string }

// estate holds the accounts by server and component; "installer" has the plain keys of a section.
type estate map[string]map[string]account

// vCenters are the three that the installer takes at most, in names that make odd keys of a secret.
var vCenters = []string{"vcenter1.example.com", "10.0.0.1", "VC-3_b.Example.COM"}

// hostile are passwords that INI, YAML, JSON, shells or base64 are known to spoil.
var hostile = []string{
	`#all; gone`, `a;b`, `trailing\`, `\`, `"double"`, `'single'`, "ba`ck`tick", ` leading and trailing `, "\u00a0no-break\u00a0",
	`$HOME $(id) ${x} %s %d 100%`, `!\"§$%&/()=?*+~`, `yes`, `null`, `~`, `0x1F`, `1e3`, `0o17`, `2026-11-21`, `=`, `{a: b}`, `[x]`,
	`*alias`, `&anchor`, `!!binary aGk=`, `<<`, `- item`, `? key`, `: value`, `|`, `>-`, `@at`, `%YAML 1.2`, `---`, `... a`, `</secret>&amp;`,
	`cGFzc3dvcmQ=`, `päßwörd-π-密码-🔑`, "line\u2028separator", "\ufeffmark", strings.Repeat(`x#y\`, 200),
}

// deal gives every component an account on every server. Passwords come from left, which is shortened, then by chance.
func deal(rng *rand.Rand, servers, components []string, left *[]string) estate {
	e := estate{}
	for i, server := range servers {
		e[server] = map[string]account{}
		for _, c := range components {
			user := fmt.Sprintf("ocp-c1-%s-%d@vsphere.local", c, i)
			if rng.IntN(3) == 0 {
				user = fmt.Sprintf(`CORP\svc.%s_%d`, c, i)
			}
			password := printable(rng)
			if len(*left) > 0 {
				password, *left = (*left)[0], (*left)[1:]
			}
			e[server][c] = account{user, password}
		}
	}
	return e
}

// printable is a password of printable ASCII that holds no reference to another key: ini.v1 would replace it.
func printable(rng *rand.Rand) string {
	b := make([]byte, 8+rng.IntN(25))
	for i := range b {
		b[i] = byte(' ' + rng.IntN('~'-' '+1))
	}
	return strings.ReplaceAll(string(b), "%(", "(%")
}

// without leaves a vCenter out.
func (e estate) without(server string) estate {
	rest := estate{}
	for s, accounts := range e {
		if s != server {
			rest[s] = accounts
		}
	}
	return rest
}

// write writes the credentials file by the rule that ini.v1 keeps every value in backticks.
func (e estate) write(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	for _, server := range vCenters {
		accounts, ok := e[server]
		if !ok {
			continue
		}
		fmt.Fprintf(&text, "[%s]\n", server)
		for c, a := range accounts {
			prefix := c + "."
			if c == "installer" {
				prefix = ""
			}
			fmt.Fprintf(&text, "%suser = `%s`\n%spassword = `%s`\n", prefix, a.user, prefix, a.password)
		}
	}
	path := filepath.Join(dir, "credentials")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keys is the data of the secret that holds the component's accounts.
func (e estate) keys(component string) map[string]string {
	data := map[string]string{}
	for server, accounts := range e {
		data[server+".username"] = accounts[component].user
		data[server+".password"] = accounts[component].password
	}
	return data
}
