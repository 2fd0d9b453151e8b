package script

import "testing"

// What people paste is a line of bash, or of PowerShell where they sit at Windows: there, words in single quotes with doubled
// quotes in them, and bare ones only where PowerShell makes neither a list nor a splat nor two parameters of them.
func TestLinesToPaste(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"vc1.example.com":             {"vc1.example.com", "vc1.example.com"},
		"a,b":                         {"a,b", "'a,b'"},
		"administrator@vsphere.local": {"administrator@vsphere.local", "administrator@vsphere.local"},
		"@team":                       {"@team", "'@team'"},
		"-x.y":                        {"-x.y", "'-x.y'"},
		"-a:b":                        {"-a:b", "'-a:b'"},
		"--vcenters":                  {"--vcenters", "--vcenters"},
		`C:\vc\a.yaml`:                {`'C:\vc\a.yaml'`, `C:\vc\a.yaml`},
		`C:\Ann Admin\it's`:           {`'C:\Ann Admin\it'\''s'`, `'C:\Ann Admin\it''s'`},
		"$(id)":                       {"'$(id)'", "'$(id)'"},
		"$env:x;`n":                   {"'$env:x;`n'", "'$env:x;`n'"},
		"’":                           {"'’'", "'’’'"},
		"":                            {"''", "''"},
		"a\nb":                        {`$'a\x0ab'`, "('a' + [char]::ConvertFromUtf32(0xa) + 'b')"},
	} {
		if got := [2]string{word(text, false), word(text, true)}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for name, c := range map[string]struct{ got, want string }{
		"chmod":           {chmod("600", "a b", false), "chmod 600 'a b'"},
		"icacls":          {chmod("600", `C:\a b`, true), `icacls 'C:\a b' /inheritance:r /grant:r "${env:USERNAME}:F"`},
		"export":          {export([]string{"A=b", "C=d e=f"}, false), "export A=b 'C=d e=f'"},
		"$env":            {export([]string{"A=b", "C=it's e=f"}, true), "$env:A = 'b'; $env:C = 'it''s e=f'"},
		"program":         {program(`C:\bin\x.exe`, true), `C:\bin\x.exe`},
		"program & quote": {program(`C:\Program Files\x.exe`, true), `& 'C:\Program Files\x.exe'`},
		"program in sh":   {program("/a b/x", false), "'/a b/x'"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
}
