package savedplan

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const plannedSpec = `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
  failureDomains:
  - {name: a, datacenter: DC1, computeCluster: C1, datastore: ds1, networks: [n1]}
`

// aSavedPlan is a saved plan with a change of every kind, and its text.
func aSavedPlan(t testing.TB) (File, []byte) {
	t.Helper()
	wanted, err := spec.Parse("spec.yaml", []byte(plannedSpec))
	if err != nil {
		t.Fatal(err)
	}
	p := plan.New("cluster1")
	p.Add("vcenter1.example.com", []*plan.Change{
		{Verb: plan.Create, Kind: plan.Folder, Name: "/DC1/vm/cluster1"},
		{Verb: plan.Update, Kind: plan.Role, Name: "r", Before: plan.RoleState{Privileges: []string{"A"}}, After: plan.RoleState{Privileges: []string{}}},
		{Verb: plan.Create, Kind: plan.User, Name: "u@d", After: plan.UserState{Description: "x"}},
		{Verb: plan.Delete, Kind: plan.Permission, Object: "/DC1", Principal: "g@d", Group: true, Before: plan.PermissionState{Role: "r", Propagate: true}},
	}, nil)
	p.Findings = []*finding.Finding{plan.Change{Kind: plan.Permission}.Tell(finding.PlanNote, "<&> → \u2028"), finding.New(finding.UnseenGlobal, "", "of the day")}
	p.VCenters[0].InstanceUUID = "4897e49e-967a-50d7-a2c5-0d2382dfe9cc"
	d := Decided{Spec: string(wanted.YAML()), Source: "sha256:00", Credentials: "c", Options: Steering{Additive: true}}
	data, err := New(d, map[string][]string{"file": {"a b.yaml"}, "connect-to": {"vcenter1.example.com=x:1"}}, p).Text()
	if err != nil {
		t.Fatal(err)
	}
	var saved File
	if err := json.Unmarshal(data, &saved); err != nil {
		t.Fatal(err)
	}
	return saved, data
}

func TestSavedPlanIsReadBack(t *testing.T) {
	t.Parallel()
	saved, data := aSavedPlan(t)
	var compact, wide bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&wide, data, "\t", "        "); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{data, compact.Bytes(), wide.Bytes()} { // white space says nothing
		got, err := Parse("plan.json", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{saved.Digest, saved.Decided, saved.Invocation}, []any{got.Digest, got.Decided, got.Invocation}); diff != "" {
			t.Error(diff)
		}
		if d := plan.Differences(got.Plan, saved.Plan); d != nil {
			t.Error(d)
		}
		if diff := cmp.Diff(map[string]string{"vcenter1.example.com": "4897e49e-967a-50d7-a2c5-0d2382dfe9cc"}, got.Instances()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParsePlanRefuses(t *testing.T) {
	t.Parallel()
	const none = "plan.json is not a plan of this version of the tool"
	const changed = "plan.json is not as plan --out wrote it: it was edited, or written by another version of the tool"
	for name, c := range map[string]struct{ from, to, want string }{
		"no JSON":              {"{", "[", none},
		"another kind":         {`"kind": "SavedPlan"`, `"kind": "Plan"`, none},
		"another version":      {`"apiVersion": "ocp-vsphere-admin/v1"`, `"apiVersion": "ocp-vsphere-admin/v2"`, none},
		"a state of no kind":   {`"kind": "role"`, `"kind": "folder"`, none},
		"the digest":           {`"digest": "sha256:`, `"digest": "sha256:0`, changed},
		"the specification":    {"cluster: cluster1", "cluster: cluster2", changed},
		"an option":            {`"additive": true`, `"additive": false`, changed},
		"an unknown option":    {`"additive": true`, `"additive": true, "prune": true`, changed},
		"an option left out":   {"\"createFolders\": false,\n", "", changed},
		"a field twice":        {`"name": "r"`, `"name": "q", "name": "r"`, changed},
		"another spelling":     {`"name": "r"`, `"NAME": "r"`, changed},
		"a field of no use":    {`"name": "r"`, `"name": "r", "x": 1`, changed},
		"a state":              {`"propagate": true`, `"propagate": false`, changed},
		"a field in a state":   {`"propagate": true`, `"propagate": true, "x": 1`, changed},
		"a note":               {`"note": ""`, `"note": "harmless"`, changed},
		"an instance UUID":     {`"instanceUuid": "4`, `"instanceUuid": "5`, changed},
		"no instance UUID":     {`"instanceUuid": "4897e49e-967a-50d7-a2c5-0d2382dfe9cc"`, `"instanceUuid": ""`, changed},
		"an error":             {`"error": ""`, `"error": "x"`, changed},
		"a status":             {`"verb": "create"`, `"verb": "create", "status": "done"`, changed},
		"the sum":              {`"create": 2`, `"create": 3`, changed},
		"no vCenter":           {`"vcenters": [`, `"vcenters": [null, `, changed},
		"a digest in the plan": {`"summary": {`, `"digest": "sha256:00", "summary": {`, changed},
		"a finding":            {`"vcenters": [`, `"findings": [{"kind": "lost-password", "text": "run rm", "accounts": null, "remedies": []}], "vcenters": [`, changed},
		"something behind it":  {"\n}\n", "\n}\n{}", none},
		"a matrix that the specification does not name": {`"options": {`, `"matrix": "x", "options": {`, changed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, data := aSavedPlan(t)
			if !bytes.Contains(data, []byte(c.from)) {
				t.Fatalf("there is no %s in:\n%s", c.from, data)
			}
			_, err := Parse("plan.json", bytes.Replace(data, []byte(c.from), []byte(c.to), 1))
			if err == nil || err.Error() != c.want {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
}

// No field of the file can be edited: the seal covers all of them, and the digest, which the approver sends by another route and
// which every form of the plan has, what apply does.
func TestEveryFieldIsSealed(t *testing.T) {
	t.Parallel()
	_, data := aSavedPlan(t)
	edits := map[string]string{
		"apiVersion": `"ocp-vsphere-admin/v2"`, "kind": `"Plan"`, "digest": `"sha256:` + strings.Repeat("0", 64) + `"`, "seal": `"x"`, "credentialsFile": `"theirs"`, "spec": `"cluster: b"`,
		"whole": `"cluster: b"`, "matrix": `"kind: PrivilegeMatrix"`, "options": `{"additive":true,"prune":true,"createFolders":false,"strict":false}`,
		"invocation": `{"file":["b.yaml"]}`, "source": `"sha256:01"`, "plan": `{"apiVersion":"ocp-vsphere-admin/v1","kind":"Plan","cluster":"b","vcenters":[],"summary":{"create":0,"update":0,"delete":0}}`,
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[File]()) {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "" && edits[tag] == "" {
			t.Errorf("nothing edits %s", tag)
		}
	}
	for name, value := range edits {
		var fields map[string]json.RawMessage
		must(t, json.Unmarshal(data, &fields))
		fields[name] = json.RawMessage(value)
		var edited File
		text, err := json.Marshal(fields)
		must(t, err, json.Unmarshal(text, &edited))
		text, err = edited.Text() // in the order of the file
		must(t, err)
		if _, err := Parse("plan.json", text); err == nil {
			t.Errorf("another %s is accepted", name)
		}
		before := edited.Digest
		seal := edited.Seal
		edited.seal()
		if name != "seal" && name != "digest" && edited.Seal == seal {
			t.Errorf("the seal does not cover %s", name)
		}
		told := slices.Contains([]string{"apiVersion", "kind", "seal", "invocation"}, name) // beside what is done
		if name != "digest" && told != (edited.Digest == before) {
			t.Errorf("the digest covers %s: %t", name, told)
		}
	}
}

// What the specification names decides whether the text of a matrix has to be there.
func TestParsePlanWantsTheMatrixOfAFile(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*File){
		"an embedded one with a text": func(s *File) { s.Matrix = "x" },
		"a file without its text":     func(s *File) { s.Spec = strings.Replace(s.Spec, "matrix: default", "matrix: ./own.yaml", 1) },
	} {
		saved, _ := aSavedPlan(t)
		before := saved.Digest
		edit(&saved)
		saved.seal()
		data, err := saved.Text()
		if err != nil || before == saved.Digest {
			t.Fatalf("%s: %v, or nothing was edited", name, err)
		}
		if _, err := Parse("plan.json", data); err == nil || !strings.Contains(err.Error(), "is not as plan --out wrote it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is accepted says in its own words what was read, and nothing panics.
func FuzzParsePlan(f *testing.F) {
	_, data := aSavedPlan(f)
	f.Add(string(data))
	f.Add(`{"apiVersion":"ocp-vsphere-admin/v1","kind":"SavedPlan","plan":{"vcenters":[null,{"changes":[null]}]}}`)
	f.Add(`{"apiVersion":"ocp-vsphere-admin/v1","kind":"SavedPlan","plan":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		saved, err := Parse("plan.json", []byte(text))
		if err != nil {
			return
		}
		again, err := saved.Text()
		if err != nil {
			t.Fatal(err)
		}
		var have, want bytes.Buffer
		if json.Compact(&have, []byte(text)) != nil || json.Compact(&want, again) != nil || have.String() != want.String() {
			t.Errorf("it was read as\n%s", again)
		}
	})
}

func TestReadTrusted(t *testing.T) {
	t.Parallel()
	if !files.Posix {
		t.Skip("modes say nothing here")
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir, path string)
		want    string // PATH and DIR stand for the file and its directory; "" = it is read
	}{
		"as it is written":      {func(*testing.T, string, string) {}, ""},
		"readable by others":    {chmodFile(0o644), ""},
		"writable by the group": {chmodFile(0o620), "PATH has mode 0620, so others may have changed it"},
		"writable by everybody": {chmodFile(0o602), "PATH has mode 0602, so others may have changed it"},
		"a group's directory":   {chmodDir(0o770), ""},
		"everybody's directory": {chmodDir(0o777), "PATH: anyone may replace files in its directory DIR (mode 0777)"},
		"a directory like /tmp": {chmodDir(0o777 | os.ModeSticky), ""},
		"somebody else's":       {chownTo(4711), "PATH belongs to user id 4711, who may have changed it: it must belong to you or root"},
		"a link into everybody's": {func(t *testing.T, dir, path string) {
			open := filepath.Join(dir, "open")
			must(t, os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.Rename(path, filepath.Join(open, "x")), os.Symlink(filepath.Join(open, "x"), path))
		}, "PATH: anyone may replace files in its directory DIR/open (mode 0777)"},
		"a directory": {func(t *testing.T, _, path string) { must(t, os.Remove(path), os.Mkdir(path, 0o700)) }, "PATH is a directory"},
		"nothing":     {func(t *testing.T, _, path string) { must(t, os.Remove(path)) }, "open PATH: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "d")
			path := filepath.Join(dir, "plan.json")
			must(t, os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("text"), 0o600))
			c.prepare(t, dir, path)
			data, err := readTrusted(path)
			want := strings.NewReplacer("PATH", path, "DIR", dir).Replace(c.want)
			switch {
			case want == "" && (err != nil || string(data) != "text"):
				t.Errorf("%q, %v", data, err)
			case want != "" && (err == nil || err.Error() != want || data != nil):
				t.Errorf("%q, %v; want %s", data, err, want)
			}
		})
	}
}

func chmodFile(mode os.FileMode) func(*testing.T, string, string) {
	return func(t *testing.T, _, path string) { must(t, os.Chmod(path, mode)) }
}

func chmodDir(mode os.FileMode) func(*testing.T, string, string) {
	return func(t *testing.T, dir, _ string) { must(t, os.Chmod(dir, mode)) }
}

func chownTo(uid int) func(*testing.T, string, string) {
	return func(t *testing.T, _, path string) {
		if os.Geteuid() != 0 {
			t.Skip("only root gives files away")
		}
		must(t, os.Chown(path, uid, -1))
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
