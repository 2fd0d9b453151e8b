package vcenter_test

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Each vCenter of a run has its own roles and catalogue, which is decoded once for all that send the same.
func TestAuthorizationOfManyReleases(t *testing.T) {
	t.Parallel()
	l, err := vcsim.Start(vcsim.Options{VCenters: 4, Releases: []string{"8.0.3", "7.0.3", "8.0.3", "7.0.3"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	read := func(v *vcsim.VCenter, run *vcenter.Run) vcenter.Authorization {
		s, err := vcenter.Connect(t.Context(), vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: l.CA, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		if err := s.Login(t.Context(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
			t.Fatal(err)
		}
		known, err := s.Authorization(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	run := &vcenter.Run{}
	var all []vcenter.Authorization
	for _, v := range l.VCenters {
		all = append(all, read(v, run))
		if diff := cmp.Diff(read(v, &vcenter.Run{}), all[len(all)-1]); diff != "" {
			t.Errorf("%s: %s", v.Server(), diff)
		}
	}
	same := func(a, b int) bool {
		return reflect.ValueOf(all[a].Privileges).Pointer() == reflect.ValueOf(all[b].Privileges).Pointer()
	}
	if !same(0, 2) || !same(1, 3) || same(0, 1) || len(all[0].Privileges) < 100 {
		t.Error("catalogues are not shared by release")
	}
}

// Where a vCenter lists no privileges, those of its own Administrator stand for them, whatever others list.
func TestAuthorizationWithoutCatalogue(t *testing.T) {
	t.Parallel()
	run := &vcenter.Run{}
	for _, holds := range []string{"A.One", "B.Two", "B.Two"} {
		r := serveRecorded(t, nil)
		r.run = run
		r.more = map[string]string{"RetrievePropertiesEx": `<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects>` +
			`<obj type="AuthorizationManager">AuthorizationManager</obj><propSet><name>privilegeList</name>` +
			`<val xsi:type="ArrayOfAuthorizationPrivilege"></val></propSet><propSet><name>roleList</name><val xsi:type="ArrayOfAuthorizationRole">` +
			`<AuthorizationRole><roleId>-1</roleId><system>true</system><name>Admin</name><info/><privilege>` + holds +
			`</privilege></AuthorizationRole></val></propSet></objects></returnval></RetrievePropertiesExResponse>`}
		s, err := r.connect(t)
		if err != nil {
			t.Fatal(err)
		}
		known, err := s.Authorization(t.Context())
		if err != nil || !slices.Equal(known.Privileges, []string{holds}) {
			t.Errorf("%v instead of %s: %v", known.Privileges, holds, err)
		}
	}
}

// What the first page of an answer had is not forgotten for a second one.
func TestAuthorizationOnTwoPages(t *testing.T) {
	t.Parallel()
	r := serveRecorded(t, nil)
	r.more = map[string]string{
		"RetrievePropertiesEx": `<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><token>1</token><objects>` +
			`<obj type="AuthorizationManager">AuthorizationManager</obj><propSet><name>roleList</name><val xsi:type="ArrayOfAuthorizationRole">` +
			`<AuthorizationRole><roleId>-1</roleId><system>true</system><name>Admin</name><info/><privilege>A.One</privilege>` +
			`</AuthorizationRole></val></propSet></objects></returnval></RetrievePropertiesExResponse>`,
		"ContinueRetrievePropertiesEx": `<ContinueRetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects>` +
			`<obj type="Folder">group-d1</obj></objects></returnval></ContinueRetrievePropertiesExResponse>`,
	}
	s, err := r.connect(t)
	if err != nil {
		t.Fatal(err)
	}
	known, err := s.Authorization(t.Context())
	if err != nil || len(known.Roles) != 1 || !slices.Equal(known.Privileges, []string{"A.One"}) {
		t.Errorf("%+v, %v", known, err)
	}
}

// A session that ended is opened again: its login's answer is not taken for the one that was asked for.
func TestPrivilegesAfterASession(t *testing.T) {
	t.Parallel()
	r := serveRecorded(t, nil)
	r.more = map[string]string{"FetchUserPrivilegeOnEntities": `<FetchUserPrivilegeOnEntitiesResponse xmlns="urn:vim25"><returnval>` +
		`<entity type="Folder">group-d1</entity><privileges>A</privileges></returnval></FetchUserPrivilegeOnEntitiesResponse>`}
	inner := r.Config.Handler
	var ended atomic.Bool
	r.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(text))
		if bytes.Contains(text, []byte("<FetchUserPrivilegeOnEntities")) && ended.CompareAndSwap(false, true) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, vimFault("The session is not authenticated.", `<NotAuthenticatedFault xmlns="urn:vim25" xsi:type="NotAuthenticated">`+
				`<object type="Folder">group-d1</object><privilegeId>System.View</privilegeId></NotAuthenticatedFault>`))
			return
		}
		inner.ServeHTTP(w, req)
	})
	s, err := r.connect(t)
	if err != nil {
		t.Fatal(err)
	}
	held, err := s.Privileges(t.Context(), inventory.Ref{Type: "Folder", Value: "group-d1"})
	if diff := cmp.Diff([][]string{{"A"}}, held); err != nil || diff != "" || !ended.Load() {
		t.Errorf("%v, %s", err, diff)
	}
}
