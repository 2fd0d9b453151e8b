package credfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

func TestMerge(t *testing.T) {
	text := "[vc1]\nuser = i@d\npassword = p\ncsi-driver.user = C@d\ncsi-driver.password = old\ndiagnostics.user = x@d\ndiagnostics.password =\n"
	from := func(csi string) map[string]map[component.Name]Account {
		return map[string]map[component.Name]Account{
			"vc1": {
				"csi-driver": {csi, secret.New("new")}, "installer": {"I@d", secret.New("p")},
				"diagnostics": {"x@d", secret.New("d")}, "machine-api": {"m@d", secret.New("m#1")},
			},
			"vc2": {"machine-api": {"m@d", secret.New("m2")}},
		}
	}
	f := opened(t, text)
	list, err := f.Merge(from("c@d"), Leave{})
	wantError(t, err, "vc1", "csi-driver", "C@d", "c@d", "has another one")
	if errors.Is(err, ErrForeign) || f.Changed() || strings.Contains(err.Error(), "new") || list[1].Outcome != Conflicting {
		t.Errorf("%v, changed %v, %v", err, f.Changed(), list)
	}
	_, err = f.Merge(from("other@d"), Leave{Passwords: true})
	wantError(t, err, "C@d", "other@d")
	if !errors.Is(err, ErrForeign) || f.Changed() {
		t.Errorf("%v, changed %v", err, f.Changed())
	}
	list, err = f.Merge(from("c@d"), Leave{Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprint(m.Server, " ", m.Component, " ", m.User, " was ", m.Was.User, ": ", m.Outcome))
	}
	want := []string{
		"vc1 installer I@d was i@d: kept",
		"vc1 csi-driver c@d was C@d: changed",
		"vc1 diagnostics x@d was x@d: changed",
		"vc1 machine-api m@d was : added",
		"vc2 machine-api m@d was : added",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	save(t, f)
	if list, err = f.Merge(from("c@d"), Leave{}); err != nil || f.Changed() || list[1].Outcome != Kept {
		t.Errorf("again: %v, %v", list, err)
	}
	// Another user's account makes way where that is allowed, and is in the list with its password.
	leave := Leave{Accounts: func(c component.Name, user string) bool { return c == "csi-driver" && user == "other@d" }}
	list, err = f.Merge(from("other@d"), leave)
	if err != nil || list[1].Outcome != Changed || list[1].Was.User != "c@d" || list[1].Was.Password.Empty() {
		t.Errorf("%v, %v", err, list)
	}
	if a, _ := f.Get("vc1", "csi-driver"); a.User != "other@d" {
		t.Errorf("%v", a)
	}
	// What no reader takes undoes the whole merge.
	bad := from("c@d")
	bad["vc3"] = map[component.Name]Account{"csi-driver": {"c@d", secret.New("two\nlines")}, "installer": {"i@d", secret.New("x")}}
	save(t, f)
	if _, err = f.Merge(bad, Leave{Passwords: true}); err == nil || f.Changed() {
		t.Errorf("%v, changed %v", err, f.Changed())
	}
}

func TestMisread(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		want    string
		certain bool
	}{
		"fine":            {"[vc]\nuser = a@b\npassword = `x#;1`\n", "", false},
		"quoted":          {"[vc]\nuser = \"a@b\"\npassword = 'x'\n", "", false},
		"touching":        {"[vc]\npassword = x#canary\n", `2 password is cut off at "#"`, true},
		"in quotes":       {"[vc]\npassword = \"x #canary\"\n", `2 password is cut off at "#"`, true},
		"comment":         {"[vc]\npassword = x # canary\n", `2 password is followed by a comment from "#" on`, false},
		"backslash":       {"[vc]\ncsi-driver.password = canary\\\nuser = a@b\n", "2 csi-driver.password ends in a backslash", true},
		"reference":       {"[vc]\nuser = canary\npassword = x%(user)s\n", "3 password holds a reference", true},
		"twice":           {"[vc]\nuser = a\nuser = b\n", "2 user is set twice in [vc]", true},
		"section twice":   {"[vc]\nuser = a\n[vd]\n[vc]\npassword = b\n", "4 the section appears twice", false},
		"blanks":          {"[ vc ]\nuser = a\n", "1 blanks in the brackets", true},
		"quotes":          {"[\"vc\"]\nuser = a\n", "1 quotes in the brackets", true},
		"URL":             {"[https://vc]\nuser = a\n", "1 a section name is only the vCenter's name", true},
		"no section":      {"user = a\n[vc]\n", "1 user is above the first [section]", true},
		"username":        {"[vc]\nusername = a\n", "2 username is not read: the key is user", true},
		"camel case":      {"[vc]\nmachineAPI.password = canary\n", "2 machineAPI.password is not read: the key is machine-api.password", true},
		"other form":      {"[vc]\nstorage.user = a\n", "2 storage.user is not read: the key is csi-driver.user", true},
		"something else":  {"[vc]\ntoken = a\nfoo.user = x\n", "", false},
		"open quote":      {"[vc]\npassword = `x\ncanary`\n", "2 password continues over several lines", true},
		"typing error":    {"[vc]\ncsi-drivr.user = a\n", "2 csi-drivr.user is not read: the key is csi-driver.user", true},
		"two of them":     {"[vc]\nmachin-api.pasword = canary\n", "2 machin-api.pasword is not read: the key is machine-api.password", true},
		"plain key":       {"[vc]\nusernam = a\n", "2 usernam is not read: the key is user", true},
		"installer":       {"[vc]\ninstaller.user = a\n", "2 installer.user is not read: the key is user", true},
		"not near":        {"[vc]\nserver = a\nport = 443\nregion.server = x\nweb.user = a\nusage = x\n", "", false},
		"wrong separator": {"[vc]\ncsi_driver.user = a\n", "2 csi_driver.user is not read: the key is csi-driver.user", true},
	} {
		t.Run(name, func(t *testing.T) {
			list := opened(t, c.text).Misread()
			if c.want == "" {
				if len(list) != 0 {
					t.Errorf("got %v", list)
				}
				return
			}
			if len(list) != 1 {
				t.Fatalf("got %v", list)
			}
			got := fmt.Sprintf("%d %s", list[0].Line, list[0].Text)
			if !strings.HasPrefix(got, c.want) || (list[0].Severity == finding.Error) != c.certain || strings.Contains(got, "canary") {
				t.Errorf("got %q, %s", got, list[0].Severity)
			}
		})
	}
}

func TestHalfAndInherited(t *testing.T) {
	f := opened(t, "[vc]\ncsi-driver.user = a\nuser = b\npassword = c\n[vc.example]\nmachine-api.user = x\n")
	if key, half := f.Half("vc", "csi-driver"); !half || key != "csi-driver.user" {
		t.Error(key, half)
	}
	if key, half := f.Half("vc", "installer"); half {
		t.Error(key)
	}
	if from := f.Inherited("vc.example", "installer"); from != "vc" {
		t.Error(from)
	}
	if from := f.Inherited("vc", "installer") + f.Inherited("nowhere", "installer"); from != "" {
		t.Error(from)
	}
}
