package vcsimtests

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// field is one of a JSON document, in its place.
type field struct {
	name  string
	value json.RawMessage
}

func fieldsOf(ts *testscript.TestScript, path string) []field {
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(path))))
	_, err := dec.Token()
	ts.Check(err)
	var all []field
	for dec.More() {
		name, err := dec.Token()
		ts.Check(err)
		f := field{}
		f.name, _ = name.(string)
		ts.Check(dec.Decode(&f.value))
		all = append(all, f)
	}
	return all
}

// writeFields replaces a file by one of these fields, as it was laid out.
func writeFields(ts *testscript.TestScript, path string, all []field) {
	var pretty bytes.Buffer
	ts.Check(json.Indent(&pretty, jsonOf(all), "", "  "))
	ts.Check(os.WriteFile(ts.MkAbs(path), term.EscapeJSON(pretty.Bytes()), 0o600))
}

func jsonOf(all []field) []byte {
	var b bytes.Buffer
	for i, f := range all {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.WriteString(`"` + f.name + `":`)
		b.Write(f.value)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func indexOf(ts *testscript.TestScript, all []field, name string) int {
	i := slices.IndexFunc(all, func(f field) bool { return f.name == name })
	if i < 0 {
		ts.Fatalf("there is no field %s", name)
	}
	return i
}

// cmdSplice puts fields of one JSON file into the place of those of another: splice FILE FROM NAME...
func cmdSplice(ts *testscript.TestScript, _ bool, args []string) {
	into, from := fieldsOf(ts, args[0]), fieldsOf(ts, args[1])
	for _, name := range args[2:] {
		into[indexOf(ts, into, name)].value = from[indexOf(ts, from, name)].value
	}
	writeFields(ts, args[0], into)
}

// cmdDigest sets a variable to the digest that a plan or a saved plan holds: digest FILE NAME.
func cmdDigest(ts *testscript.TestScript, _ bool, args []string) {
	all := fieldsOf(ts, args[0])
	var digest string
	ts.Check(json.Unmarshal(all[indexOf(ts, all, append(args, "digest")[2])].value, &digest))
	ts.Setenv(args[1], digest)
}

// cmdReseal gives a saved plan that was tampered with the digest and the summary that its content has, as somebody would
// who knows how they are made: reseal FILE.
func cmdReseal(ts *testscript.TestScript, _ bool, args []string) {
	var read savedplan.File
	ts.Check(json.Unmarshal(jsonOf(fieldsOf(ts, args[0])), &read))
	p := plan.New(read.Plan.Cluster)
	for i, v := range read.Plan.VCenters {
		p.Add(v.Server, v.Changes, nil)
		p.VCenters[i].InstanceUUID = v.InstanceUUID
	}
	text, err := savedplan.New(read.Decided, read.Invocation, p).Text()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}
