package vcenter

import (
	gobytes "bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// authorizationAnswer is an answer as a vCenter writes it.
func authorizationAnswer(roles, privileges string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body>
<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects><obj type="AuthorizationManager">AuthorizationManager</obj>` +
		`<propSet><name>privilegeList</name><val xsi:type="ArrayOfAuthorizationPrivilege">` + privileges + `</val></propSet>` +
		`<propSet><name>roleList</name><val xsi:type="ArrayOfAuthorizationRole">` + roles + `</val></propSet></objects></returnval></RetrievePropertiesExResponse>
</soapenv:Body>
</soapenv:Envelope>`
}

const (
	onePrivilege = `<AuthorizationPrivilege xsi:type="AuthorizationPrivilege"><privId>System.View</privId><onParent>false</onParent><name>View</name><privGroupName>System</privGroupName></AuthorizationPrivilege>`
	oneRole      = `<AuthorizationRole xsi:type="AuthorizationRole"><roleId>-1</roleId><system>true</system><name>Admin</name><info><label>Administrator</label><summary>Full</summary></info><privilege>System.View</privilege><privilege>Alarm.Create</privilege></AuthorizationRole>`
)

// lists reads an answer as a session does, with slim before the decoder or without.
func lists(answer string, first bool) (l authorizationLists, left int, err error) {
	l.id = func(text []byte) string { return string(text) }
	rest := []byte(answer)
	if first {
		rest = l.slim(rest)
	}
	var body struct {
		Body methods.RetrievePropertiesExBody
	}
	d := xml.NewDecoder(gobytes.NewReader(rest))
	d.TypeFunc = types.TypeFunc()
	if err = d.Decode(&body); err == nil && body.Body.Res != nil && body.Body.Res.Returnval != nil {
		for _, o := range body.Body.Res.Returnval.Objects {
			for _, p := range o.PropSet {
				l.decoded(p.Val)
			}
		}
	}
	for i := range l.roles {
		l.roles[i].Info, l.roles[i].DynamicData = nil, types.DynamicData{}
	}
	l.id = nil
	return l, len(rest), err
}

func TestSlimReadsWhatTheDecoderReads(t *testing.T) {
	t.Parallel()
	two := strings.NewReplacer("-1<", "7<", ">true<", ">false<", "Admin<", "of somebody<").Replace(oneRole)
	for name, c := range map[string]struct {
		roles, privileges string
		slim              bool // both lists are read without the decoder
	}{
		"as a vCenter writes":    {oneRole + two, onePrivilege + onePrivilege, true},
		"with line breaks":       {"\n  " + oneRole + "\n" + two + "\n", "\n" + strings.ReplaceAll(onePrivilege, "><", ">\n\t<") + "\n", true},
		"without types":          {strings.ReplaceAll(oneRole, ` xsi:type="AuthorizationRole"`, ""), strings.ReplaceAll(onePrivilege, ` xsi:type="AuthorizationPrivilege"`, ""), true},
		"text with blanks":       {strings.ReplaceAll(oneRole, ">Admin<", "> Admin  <"), onePrivilege, true},
		"a description's type":   {strings.ReplaceAll(oneRole, "<info>", `<info xsi:type="Description">`), onePrivilege, true},
		"no name":                {strings.ReplaceAll(oneRole, ">Admin<", "><"), onePrivilege, true},
		"entities":               {strings.ReplaceAll(oneRole, "Admin", "A &amp; B &#65;"), strings.ReplaceAll(onePrivilege, "View<", "V&lt;<"), false},
		"a comment":              {oneRole + "<!-- " + two + " -->", onePrivilege, false},
		"CDATA":                  {strings.ReplaceAll(oneRole, "Admin", "<![CDATA[Admin]]>"), onePrivilege, false},
		"a prefix":               {strings.NewReplacer("<name>", "<v:name>", "</name>", "</v:name>").Replace(oneRole), onePrivilege, false},
		"numbers for booleans":   {strings.ReplaceAll(oneRole, ">true<", ">1<"), onePrivilege, false},
		"another type":           {strings.ReplaceAll(oneRole, `="AuthorizationRole"`, `="AuthorizationPrivilege"`), onePrivilege, false},
		"nothing":                {"", "", false},
		"an id that is none":     {strings.ReplaceAll(oneRole, "-1", "one"), onePrivilege, false},
		"an id that is too big":  {strings.ReplaceAll(oneRole, "-1", "4294967296"), onePrivilege, false},
		"a field within":         {strings.ReplaceAll(oneRole, "<label>", "<name>deeper</name><label>"), onePrivilege, true},
		"a tag that ends twice":  {oneRole + "</AuthorizationRole>", onePrivilege, false},
		"a tag that never ends":  {strings.TrimSuffix(oneRole, "</AuthorizationRole>"), onePrivilege, false},
		"crossed tags":           {strings.ReplaceAll(oneRole, "</label><summary>", "<summary></label>"), onePrivilege, false},
		"bytes that are no text": {strings.ReplaceAll(oneRole, "Admin", "\xff"), onePrivilege, false},
	} {
		answer := authorizationAnswer(c.roles, c.privileges)
		want, whole, wantErr := lists(answer, false)
		got, left, err := lists(answer, true)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\nslim:    %+v, %v\ndecoder: %+v, %v", name, got, err, want, wantErr)
		}
		if empty := len(authorizationAnswer("", "")); (left == empty && whole > empty) != c.slim {
			t.Errorf("%s: %d of %d bytes are left", name, left, whole)
		}
	}
}

// FuzzSlim holds slim against the decoder on answers that something on the way has changed. Where both read the answer, they
// read the same.
func FuzzSlim(f *testing.F) {
	f.Add(uint64(1), oneRole, onePrivilege)
	f.Add(uint64(2), oneRole+oneRole, html.EscapeString(onePrivilege))
	f.Fuzz(func(t *testing.T, seed uint64, roles, privileges string) {
		answer := []byte(authorizationAnswer(roles, privileges))
		r := rand.New(rand.NewPCG(seed, 0))
		for range r.IntN(4) {
			at, from := r.IntN(len(answer)), r.IntN(len(answer))
			copy(answer[at:], answer[from:min(len(answer), from+r.IntN(40))])
		}
		want, _, wantErr := lists(string(answer), false)
		got, _, err := lists(string(answer), true)
		if wantErr == nil && err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\nslim:    %+v\ndecoder: %+v", answer, got, want)
		}
		if wantErr == nil && err != nil {
			t.Errorf("%s\nslim spoils it: %v", answer, err)
		}
	})
}
