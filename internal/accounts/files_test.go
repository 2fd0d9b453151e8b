package accounts_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

const (
	server = "vc1.example.com"
	csi    = component.CSIDriver
)

func named(user, password string) credfile.Account {
	return credfile.Account{User: user + "@vsphere.local", Password: secret.New(password)}
}

func openFiles(t *testing.T) accounts.Files {
	t.Helper()
	file, err := credfile.Open(filepath.Join(t.TempDir(), "credentials"))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := file.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return accounts.Files{Credentials: file, Journal: journal}
}

// What the files have at each stage of a change, read from the disk: a run may end at any of them.
func TestProtocol(t *testing.T) {
	t.Parallel()
	first, again, second := named("csi", "Passw0rd-of-the-first"), named("csi", "Passw0rd-of-the-second"), named("csi-2", "Passw0rd-of-the-third")
	for _, tt := range []struct {
		name                      string
		file, journal, earlier    credfile.Account // before
		record                    accounts.Record
		announced, taken, settled string // file, journal (+ known as drawn by us), earlier
	}{
		{
			"a new account",
			credfile.Account{},
			credfile.Account{},
			credfile.Account{},
			accounts.Record{To: first},
			"- csi+ -", "csi csi+ -", "csi - -",
		},
		{
			"a new password", first,
			credfile.Account{},
			credfile.Account{},
			accounts.Record{From: first.User, To: again},
			"csi csi*+ -", "csi* csi*+ -", "csi* - -",
		},
		{
			"the next generation", first,
			credfile.Account{},
			credfile.Account{},
			accounts.Record{From: first.User, To: second},
			"csi csi-2+ csi", "csi-2 csi-2+ csi", "csi-2 - csi",
		},
		{
			"the same once more", first, second, first,
			accounts.Record{From: first.User, To: second},
			"csi csi-2+ csi", "csi-2 csi-2+ csi", "csi-2 - csi",
		},
		{
			"back", second,
			credfile.Account{},
			first,
			accounts.Record{From: second.User, To: first, Back: true},
			"csi-2 csi-2+ csi", "csi csi-2+ csi", "csi csi-2 -",
		},
	} {
		f := openFiles(t)
		check := func(stage, want string) {
			t.Helper()
			file, err := credfile.Open(f.Credentials.Path())
			if err != nil {
				t.Fatal(err)
			}
			journal, err := file.Journal()
			if err != nil {
				t.Fatal(err)
			}
			show := func(a credfile.Account) string {
				text := strings.TrimSuffix(a.User, "@vsphere.local")
				switch {
				case a.User == "":
					return "-"
				case a.Password.Equal(again.Password):
					text = "csi*"
				}
				if a.Password.Tag() != "" {
					text += "+"
				}
				return text
			}
			s := accounts.Files{Credentials: file, Journal: journal}.Section(server, csi)
			if got := fmt.Sprint(show(s.File), " ", show(s.Journal), " ", show(s.Earlier)); got != want {
				t.Errorf("%s, %s: %s, not %s", tt.name, stage, got, want)
			}
		}
		for slot, a := range map[component.Name]credfile.Account{csi: tt.journal, credfile.Earlier(csi): tt.earlier} {
			if a.User != "" {
				must(t, f.Journal.Set(server, slot, a))
			}
		}
		if tt.file.User != "" {
			must(t, f.Credentials.Set(server, csi, tt.file))
		}
		must(t, f.Credentials.Save())
		must(t, f.Journal.Save())
		tt.record.Component, tt.record.Servers = csi, []string{server}
		must(t, f.Announce(tt.record))
		check("announced", tt.announced)
		must(t, f.Take(tt.record))
		check("taken", tt.taken)
		must(t, f.Forget(tt.record))
		check("settled", tt.settled)
	}
}

// Somebody else's account in the section stays, and the error names the vCenter.
func TestTakesNobodysPlace(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	must(t, f.Credentials.Set(server, csi, named("other", "Passw0rd!1")))
	if err := f.Take(accounts.Record{Component: csi, Servers: []string{server}, From: "csi@vsphere.local", To: named("csi-2", "Passw0rd!2")}); err == nil {
		t.Error("it took the place of another account")
	}
	if s := f.Section(server, csi); s.File.User != "other@vsphere.local" {
		t.Errorf("%+v", s)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
