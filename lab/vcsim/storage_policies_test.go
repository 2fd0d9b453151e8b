package vcsim

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/pbm"
	pbmtypes "github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// recordings are the records of a lab, without their times.
type recordings struct {
	mu  sync.Mutex
	all []Record
}

func (r *recordings) add(one Record) {
	one.Time, one.Server = time.Time{}, ""
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

func (r *recordings) has(one Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.all, one)
}

// loggedIn is a client of an account that account() made.
func loggedIn(t *testing.T, v *VCenter, name string) *vim25.Client {
	t.Helper()
	c := plain(t, v)
	if err := session.NewManager(c).Login(t.Context(), url.UserPassword(name+"@vsphere.local", rigPassword)); err != nil {
		t.Fatal(err)
	}
	return c
}

func policiesOf(t *testing.T, c *vim25.Client) *pbm.Client {
	t.Helper()
	p, err := pbm.NewClient(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// datastoresOf are the datastores of a vCenter, at least two.
func datastoresOf(t *testing.T, v *VCenter) (refs []types.ManagedObjectReference) {
	t.Helper()
	for _, ds := range v.authz.reg.All("Datastore") {
		refs = append(refs, ds.Reference())
	}
	if len(refs) < 2 {
		t.Fatalf("%d datastores", len(refs))
	}
	return refs
}

// tagPolicy is what CSI's operator creates.
func tagPolicy(t *testing.T, name, category, tag string) pbmtypes.PbmCapabilityProfileCreateSpec {
	t.Helper()
	spec, err := pbm.CreateCapabilityProfileSpec(pbm.CapabilityProfileCreateSpec{
		Name: name, SubProfileName: "Tag based placement", Category: string(pbmtypes.PbmProfileCategoryEnumREQUIREMENT),
		CapabilityList: []pbm.Capability{{
			ID: category, Namespace: "http://www.vmware.com/storage/tag",
			PropertyList: []pbm.Property{{ID: "com.vmware.storage.tag." + category + ".property", Value: tag, DataType: "set"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return *spec
}

// tagDatastore makes a category with a tag, and attaches that.
func tagDatastore(t *testing.T, v *VCenter, ref types.ManagedObjectReference, category, tag string) {
	t.Helper()
	m := tagger(t, v, v.AdminUser(), v.AdminPassword())
	of, err := m.CreateCategory(t.Context(), &tags.Category{Name: category, Cardinality: "SINGLE", AssociableTypes: []string{"urn:vim25:Datastore"}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := m.CreateTag(t.Context(), &tags.Tag{Name: tag, CategoryID: of})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AttachTag(t.Context(), id, ref); err != nil {
		t.Fatal(err)
	}
}

// refused reports whether somebody lacks a privilege on an object, as the fault says.
func refused(err error, on types.ManagedObjectReference, privilege string) bool {
	if !soap.IsSoapFault(err) {
		return false
	}
	var f types.NoPermission
	switch one := soap.ToSoapFault(err).VimFault().(type) {
	case types.NoPermission:
		f = one
	default:
		return false
	}
	return f.PrivilegeId == privilege && f.Object != nil && *f.Object == on
}

func requirement(id string) []pbmtypes.BasePbmPlacementRequirement {
	return []pbmtypes.BasePbmPlacementRequirement{&pbmtypes.PbmPlacementCapabilityProfileRequirement{ProfileId: pbmtypes.PbmProfileId{UniqueId: id}}}
}

// A policy by tags finds the datastores that have the tag: of those that are asked about, or of all that the caller sees.
func TestPolicyFollowsTags(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	stores := datastoresOf(t, v)
	tagged, other := stores[0], stores[1]
	p := policiesOf(t, admin(t, v))
	id, err := p.CreateProfile(t.Context(), tagPolicy(t, "openshift-storage-policy-x", "openshift-x", "openshift-x"))
	if err != nil {
		t.Fatal(err)
	}
	compatible := func(hubs ...types.ManagedObjectReference) []string {
		t.Helper()
		var asked []pbmtypes.PbmPlacementHub
		for _, ref := range hubs {
			asked = append(asked, pbmtypes.PbmPlacementHub{HubType: ref.Type, HubId: ref.Value})
		}
		res, err := p.CheckRequirements(t.Context(), asked, nil, requirement(id.UniqueId))
		if err != nil {
			t.Fatal(err)
		}
		want := len(hubs)
		if want == 0 {
			want = len(stores)
		}
		if len(res) != want {
			t.Errorf("%d results for %d datastores", len(res), want)
		}
		for _, one := range res.NonCompatibleDatastores() {
			i := slices.IndexFunc(res, func(r pbmtypes.PbmPlacementCompatibilityResult) bool { return r.Hub == one })
			if m, ok := res[i].Error[0].Fault.(*pbmtypes.PbmCapabilityProfilePropertyMismatchFault); !ok || m.Hub != one || m.CapabilityInstanceId.Id != "openshift-x" {
				t.Errorf("%+v", res[i].Error[0])
			}
		}
		var out []string
		for _, hub := range res.CompatibleDatastores() {
			out = append(out, hub.HubId)
		}
		return out
	}
	if got := compatible(); len(got) > 0 {
		t.Errorf("before the tag is attached: %v", got)
	}
	tagDatastore(t, v, tagged, "openshift-x", "openshift-x")
	if got := compatible(); !slices.Equal(got, []string{tagged.Value}) {
		t.Errorf("of all: %v, want %v", got, tagged)
	}
	if got := compatible(other); len(got) > 0 {
		t.Errorf("of another: %v", got)
	}
	if got := compatible(tagged, other); !slices.Equal(got, []string{tagged.Value}) {
		t.Errorf("of both: %v", got)
	}
	_, err = p.CheckRequirements(t.Context(), []pbmtypes.PbmPlacementHub{{HubType: "Datastore", HubId: "datastore-0"}}, nil, requirement(id.UniqueId))
	if !fault.Is(err, &pbmtypes.PbmNonExistentHubs{}) {
		t.Errorf("of a datastore that is not there: %v", err)
	}

	// Somebody who sees one datastore is told of that one.
	account(t, v, "one-store", v.authz.root, "System.View", "StorageProfile.View")
	for _, ref := range stores {
		if ref != other {
			who, err := v.dir.Lookup("one-store@vsphere.local", false)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.authz.setPermission(ref, who, -5, false); err != nil { // no access (R6)
				t.Fatal(err)
			}
		}
	}
	res, err := policiesOf(t, loggedIn(t, v, "one-store")).CheckRequirements(t.Context(), nil, nil, requirement(id.UniqueId))
	if err != nil || len(res) != 1 || res[0].Hub.HubId != other.Value {
		t.Errorf("in sight: %+v, %v", res, err)
	}
}

// Names are there once, an unknown id is InvalidArgument, and Delete says of each id what became of it.
func TestPolicyProfiles(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	p := policiesOf(t, admin(t, v))
	spec := tagPolicy(t, "gold", "tier", "gold")
	id, err := p.CreateProfile(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CreateProfile(t.Context(), spec); !fault.Is(err, &pbmtypes.PbmDuplicateName{}) {
		t.Errorf("a name twice: %v", err)
	}
	m, err := p.ProfileMap(t.Context())
	if err != nil || m.Name["gold"] == nil || m.Name["vSAN Default Storage Policy"] == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	gold, ok := m.Name["gold"].(*pbmtypes.PbmCapabilityProfile)
	if !ok || gold.ProfileId != *id || gold.CreatedBy != `VSPHERE.LOCAL\Administrator` {
		t.Fatalf("%+v", m.Name["gold"])
	}
	sets, ok := gold.Constraints.(*pbmtypes.PbmCapabilitySubProfileConstraints)
	if !ok || sets.SubProfiles[0].Capability[0].Id.Id != "tier" {
		t.Errorf("%+v", gold.Constraints)
	}
	if _, err := p.RetrieveContent(t.Context(), []pbmtypes.PbmProfileId{*id, {UniqueId: "gold"}}); !fault.Is(err, &types.InvalidArgument{}) {
		t.Errorf("an unknown id: %v", err)
	}
	if err := p.UpdateProfile(t.Context(), *id, pbmtypes.PbmCapabilityProfileUpdateSpec{Name: "vSAN Default Storage Policy"}); !fault.Is(err, &pbmtypes.PbmDuplicateName{}) {
		t.Errorf("renamed to what is there: %v", err)
	}
	if err := p.UpdateProfile(t.Context(), *id, pbmtypes.PbmCapabilityProfileUpdateSpec{Name: "silver"}); err != nil {
		t.Error(err)
	}
	if got, err := p.ProfileIDByName(t.Context(), "silver"); err != nil || got != id.UniqueId {
		t.Errorf("%s, %v", got, err)
	}
	out, err := p.DeleteProfile(t.Context(), []pbmtypes.PbmProfileId{{}, *id})
	if err != nil || len(out) != 2 || out[0].Fault == nil || out[1].Fault != nil {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := p.RetrieveContent(t.Context(), []pbmtypes.PbmProfileId{*id}); !fault.Is(err, &types.InvalidArgument{}) {
		t.Errorf("after its deletion: %v", err)
	}
	if _, err := p.QueryAssociatedEntity(t.Context(), *id, ""); !fault.Is(err, &types.InvalidArgument{}) {
		t.Errorf("what has a deleted policy: %v", err)
	}
}

// PBM tells everybody what it consists of, and nothing else without a session; reading and writing have their privileges on the root.
func TestR27PolicyPrivileges(t *testing.T) {
	var calls recordings
	v := start(t, Options{Record: calls.add}).VCenters[0]
	nobody := policiesOf(t, plain(t, v))
	storage := pbmtypes.PbmProfileResourceType{ResourceType: "STORAGE"}
	if _, err := nobody.QueryProfile(t.Context(), storage, ""); !fault.Is(err, &types.NotAuthenticated{}) {
		t.Errorf("without a session: %v", err)
	}
	account(t, v, "reader", v.authz.root, "System.View")
	reader := policiesOf(t, loggedIn(t, v, "reader"))
	_, err := reader.QueryProfile(t.Context(), storage, "")
	if !refused(err, v.authz.root, "StorageProfile.View") || !strings.Contains(err.Error(), "NoPermission") {
		t.Errorf("without a privilege: %v", err)
	}
	account(t, v, "viewer", v.authz.root, "StorageProfile.View")
	viewer := policiesOf(t, loggedIn(t, v, "viewer"))
	ids, err := viewer.QueryProfile(t.Context(), storage, "REQUIREMENT")
	if err != nil || len(ids) == 0 {
		t.Errorf("%v, %v", ids, err)
	}
	for what, err := range map[string]error{
		"create": func() error { _, err := viewer.CreateProfile(t.Context(), tagPolicy(t, "x", "y", "z")); return err }(),
		"update": viewer.UpdateProfile(t.Context(), ids[0], pbmtypes.PbmCapabilityProfileUpdateSpec{Name: "x"}),
		"delete": func() error { _, err := viewer.DeleteProfile(t.Context(), ids); return err }(),
	} {
		if !refused(err, v.authz.root, "StorageProfile.Update") {
			t.Errorf("%s: %v", what, err)
		}
	}
	want := Record{Service: "pbm", Method: "PbmCreate", Principal: `VSPHERE.LOCAL\viewer`, Object: "/", Privilege: "StorageProfile.Update", Verdict: VerdictMissing}
	if !calls.has(want) {
		t.Errorf("no record %+v", want)
	}
	if !calls.has(Record{Service: "pbm", Method: "PbmQueryProfile", Verdict: "NotAuthenticated"}) {
		t.Error("no record of the call without a session")
	}
}
