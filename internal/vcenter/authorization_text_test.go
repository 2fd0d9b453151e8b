package vcenter

import (
	gobytes "bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/vim25/types"
)

// Roles and catalogue are taken out of an answer where they can be read, and what cannot be read stays for the decoder.
func TestAuthorizationTextIsCut(t *testing.T) {
	t.Parallel()
	const listed = `<propSet><name>privilegeList</name><val xsi:type="ArrayOfAuthorizationPrivilege">` +
		`<AuthorizationPrivilege><privId>B</privId><onParent>false</onParent></AuthorizationPrivilege>` +
		`<AuthorizationPrivilege><privId>A&amp;C</privId></AuthorizationPrivilege></val></propSet>`
	const role = `<AuthorizationRole><roleId> -7 </roleId><system>true</system><name>R &lt;privilege></name><info><label>L</label></info>` +
		`<privilege>System.View</privilege><privilege>B</privilege><privilege>A</privilege><privilege>B</privilege></AuthorizationRole>`
	const without = `<AuthorizationRole><roleId>-5</roleId><name>NoAccess</name></AuthorizationRole>`
	noAccess := roleText{ID: -5, Name: "NoAccess", holds: idList{stripped: []string{}}}
	holds := idList{all: []string{"A", "B", "System.View"}, stripped: []string{"A", "B"}}
	lists := &idLists{}
	told := authorizationText{lists: lists}
	for name, c := range map[string]struct {
		text, left string
		roles      []roleText
		catalogue  []string
	}{
		"all":                           {"<a>" + role + "</a>" + listed + "<b>" + without + "</b>", "<a></a><b></b>", []roleText{{ID: -7, System: true, Name: "R <privilege>", holds: holds}, noAccess}, []string{"A&C", "B"}},
		"an empty catalogue":            {`<propSet><name>privilegeList</name><val/></propSet>x`, "x", nil, nil},
		"nothing":                       {"<objects/>", "<objects/>", nil, nil},
		"a role that is no XML":         {"<a>" + strings.Replace(role, "B</privilege>", "B<privilege>", 1) + "</a>", "", nil, nil},
		"an id that is no number":       {strings.Replace(role, "-7", "x", 1), "", nil, nil},
		"a privilege that is open":      {`<AuthorizationRole><name>x</name><privilege>A</AuthorizationRole>` + without, `<AuthorizationRole><name>x</name><privilege>A</AuthorizationRole>`, []roleText{noAccess}, nil},
		"a role that does not end":      {strings.TrimSuffix(role, ">"), "", nil, nil},
		"a tag with an attribute":       {strings.Replace(role, "Role>", `Role type="">`, 1), "", nil, nil},
		"a privilege with an attribute": {"x" + strings.Replace(role, "<privilege>B", `<privilege type="">B`, 2), "x", []roleText{{ID: -7, System: true, Name: "R <privilege>", holds: holds}}, nil},
		"no other privileges":           {strings.ReplaceAll(role, "<privilege>", `<privilege type="">`), "", nil, nil},
		"a name between privileges":     {strings.Replace(role, "<privilege>A", "<system>false</system><privilege>A", 1), "", nil, nil},
		"a comment":                     {"<!-- " + role + " -->", "", nil, nil},
		"an instruction":                {"<?xml?><?x " + role + " ?>", "", nil, nil},
		"another form of the names":     {strings.Replace(listed, "<name>", "\n <name>", 1), "", nil, nil},
	} {
		for range 2 { // what is known is what was read
			answer := gobytes.NewBufferString(c.text)
			told.cut(answer)
			if c.left == "" {
				c.left = c.text
			}
			if diff := cmp.Diff(c.left, answer.String()); diff != "" {
				t.Errorf("%s: left (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(c.roles, told.roles, cmp.AllowUnexported(roleText{}, idList{})); diff != "" {
				t.Errorf("%s: roles (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(c.catalogue, told.catalogue.all); diff != "" {
				t.Errorf("%s: catalogue (-want +got):\n%s", name, diff)
			}
		}
	}
	if lists.of(nil).all != nil || len(lists.of([]string{""}).all) != 1 {
		t.Error("no id and an empty one are the same")
	}
	// Labels differ, ids do not: one copy.
	other, ok := lists.decoded([]byte(strings.Replace(listed, "<onParent>false</onParent>", "", 1)))
	if again, _ := lists.decoded([]byte(listed)); !ok || &other.all[0] != &again.all[0] {
		t.Error("equal lists are kept twice")
	}
}

// What a user holds on entities is taken out of an answer, and an entity that cannot be read stays in it.
func TestEntitiesTextIsCut(t *testing.T) {
	t.Parallel()
	const folder = `<returnval><entity type="Folder" xsi:type="ManagedObjectReference">group-d1</entity><privileges>B</privileges><privileges>A</privileges></returnval>`
	const none = `<returnval><entity type="VirtualMachine">vm-1</entity></returnval>`
	broken := strings.Replace(folder, "B</privileges>", "B", 1) + strings.ReplaceAll(folder, "<privileges>", `<privileges type="">`)
	told := entitiesText{lists: &idLists{}}
	for range 2 {
		answer := gobytes.NewBufferString("<a>" + folder + broken + none + "</a>")
		told.cut(answer)
		if answer.String() != "<a>"+broken+"</a>" {
			t.Errorf("left: %s", answer)
		}
		want := []entityText{
			{Entity: types.ManagedObjectReference{Type: "Folder", Value: "group-d1"}, holds: idList{all: []string{"A", "B"}, stripped: []string{"A", "B"}}},
			{Entity: types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-1"}, holds: idList{stripped: []string{}}},
		}
		if diff := cmp.Diff(want, told.all, cmp.AllowUnexported(entityText{}, idList{})); diff != "" {
			t.Error(diff)
		}
	}
}

// No list that one vCenter sends is taken for another's, and what one sends does not fill the memory.
func TestListsOfOthers(t *testing.T) {
	t.Parallel()
	lists := &idLists{}
	read := func(of *idLists, text string) []string {
		list, ok := of.decoded([]byte(text))
		if !ok {
			t.Fatalf("%s is not read", text)
		}
		return list.all
	}
	read(lists, "<privilege>A&#10;B</privilege>")
	read(lists, "<privilege></privilege>")
	for _, honest := range []string{"<privilege>A</privilege><privilege>B</privilege>", ""} {
		if diff := cmp.Diff(read(&idLists{}, honest), read(lists, honest)); diff != "" {
			t.Errorf("%q is read differently after what another sent:\n%s", honest, diff)
		}
	}
	for i := range 40 {
		read(lists, "<privilege>"+strings.Repeat(string(rune('a'+i%26)), mostKept/8+i)+"</privilege>")
	}
	kept := 0
	for text, list := range lists.texts {
		kept += len(text) + len(strings.Join(list.all, ""))
	}
	if kept > mostKept {
		t.Errorf("%d bytes are kept", kept)
	}
}
