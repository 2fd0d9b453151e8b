package roles_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

var roleID, roleName = regexp.MustCompile(`<roleId>-?\d+</roleId>`), regexp.MustCompile(`<name>[^<]*</name>`)

// Answers that would have the wrong thing granted, or everything made anew, are not believed.
func TestAnswersNotBelieved(t *testing.T) {
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v, ctx := lab.VCenters[0], context.Background()
	s, err := vcenter.Connect(ctx, vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(ctx) })
	if err := s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	live, err := roles.Read(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := roles.Diff([]roles.Want{{Name: "ours", Privileges: []string{"Datastore.Browse"}}}, live, roles.Options{})
	if err != nil || len(changes) != 1 || changes[0].Verb != plan.Create {
		t.Fatal(changes, err)
	}
	w := roles.NewWriter(s, live)
	steps := plan.Steps{}
	w.Attach(steps, changes)
	id := regexp.MustCompile(`<returnval>\d+</returnval>`)
	v.SetAnswer(func(a *vcsim.Answer) {
		switch a.Method {
		case "AddAuthorizationRole":
			a.Body = id.ReplaceAll(a.Body, []byte("<returnval>-1</returnval>"))
		case "RetrievePropertiesEx":
			a.Body = regexp.MustCompile("<AuthorizationRole>.*</AuthorizationRole>").ReplaceAll(a.Body, nil)
		case "FetchUserPrivilegeOnEntities":
			a.Body = bytes.ReplaceAll(a.Body, []byte(s.Content.RootFolder.Value), []byte("group-d999"))
		}
	})
	if err := steps[changes[0]].Do(ctx); err == nil || !strings.Contains(err.Error(), "the id of role Admin") {
		t.Errorf("the id of Admin for a new role: %v", err)
	}
	if id, ok := w.ID("ours"); ok {
		t.Errorf("it is known as %d", id)
	}
	if _, err := roles.Read(ctx, s); err == nil || !strings.Contains(err.Error(), "roles: vCenter shows none") {
		t.Errorf("a list without a role: %v", err)
	}
	if _, err := s.Privileges(ctx, vcenter.Ref(s.Content.RootFolder)); err == nil || !strings.Contains(err.Error(), "vCenter does not report the privileges of") {
		t.Errorf("privileges of another object: %v", err)
	}
	for about, edit := range map[string]func([]byte) []byte{
		"with the same id": func(b []byte) []byte { return roleID.ReplaceAll(b, []byte("<roleId>7</roleId>")) },
		"without an id":    func(b []byte) []byte { return roleID.ReplaceAll(b, nil) },
		"or a name (":      func(b []byte) []byte { return roleName.ReplaceAll(b, nil) },
		"with the ids":     func(b []byte) []byte { return roleName.ReplaceAll(b, []byte("<name>ours</name>")) },
	} {
		v.SetAnswer(func(a *vcsim.Answer) { a.Body = edit(a.Body) })
		if _, err := roles.Read(ctx, s); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("a list in which %q: %v", about, err)
		}
	}
}
