package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// member is a cluster on these vCenters.
func member(name, group string, servers ...string) Member {
	s := &spec.Spec{Cluster: name, LinkedGroup: group}
	for _, server := range servers {
		s.VCenters = append(s.VCenters, spec.VCenter{Server: server})
	}
	return Member{Name: name, File: name + ".yaml", Spec: s}
}

func names(all []Member) (list []string) {
	for _, m := range all {
		list = append(list, m.Name)
	}
	return list
}

const text = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: %s\nvcenters:\n- server: %s\n"

// A directory is its provisioning files, and what is wrong with one of them is that one's.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"b.yaml":       fmt.Sprintf(text, "b", "vc1"),
		"a.yml":        fmt.Sprintf(text, "a", "vc2"),
		"common.yaml":  "apiVersion: ocp-vsphere-admin/v1\nkind: CommonSettings\n",
		"broken.yaml":  "a: b: c\ncluster: known # ours\n",
		"good.yaml":    fmt.Sprintf(text, "good", "vc9"),
		"again.yaml":   fmt.Sprintf(text, "b", "vc3"),
		".hidden.yaml": fmt.Sprintf(text, "hidden", "vc4"),
		"case.yaml":    fmt.Sprintf(text, "case", "vc6"),
		"upper.yaml":   fmt.Sprintf(text, "CASE", "vc7"),
		"notes.txt":    "b",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, below := range []string{"dir.yaml", "..data", "eu/west"} { // a mounted ConfigMap has ..data
		below = filepath.Join(dir, below)
		if err := errors.Join(os.MkdirAll(below, 0o700), os.WriteFile(filepath.Join(below, "below.yaml"),
			fmt.Appendf(nil, text, "below-"+filepath.Base(below), "vc5"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.Symlink("a.yml", filepath.Join(dir, "link.yaml")), os.Symlink("eu", filepath.Join(dir, "linked.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Load([]string{dir, filepath.Join(dir, "b.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range all {
		why := ""
		if m.Err != nil {
			why = strings.ReplaceAll(m.Err.Error(), dir+"/", "")
		}
		if (m.Err == nil) != (m.Spec != nil) {
			t.Errorf("%s: %v and %v", m.Name, m.Err, m.Spec)
		}
		got[m.Name] = why
	}
	want := map[string]string{ // which of two is meant is not known
		"a": "a.yml: cluster a is in link.yaml, too", "link.yaml": "link.yaml: cluster a is in a.yml, too",
		"b": "again.yaml: cluster b is in b.yaml, too", "b.yaml": "b.yaml: cluster b is in again.yaml, too",
		"case": "case.yaml: cluster CASE is in upper.yaml, too", "upper.yaml": "upper.yaml: cluster case is in case.yaml, too",
		"good": "", "below-dir.yaml": "", "below-west": "",
	}
	broken := got["known"] // it says whose it is
	delete(got, "known")
	if d := cmp.Diff(want, got); d != "" || !strings.Contains(broken, "not valid YAML") {
		t.Errorf("%s\n%s", d, broken)
	}
	for _, path := range []string{filepath.Join(dir, "nowhere"), t.TempDir()} {
		if _, err := Load([]string{path}); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

// Accounts of two clusters have no common place in a credentials file: not of what others own, on other vCenters, or in other files.
func TestContested(t *testing.T) {
	t.Parallel()
	of := func(name, file string, adopted bool, servers ...string) Member {
		m := member(name, "", servers...)
		m.Spec.CredentialsFile, m.Spec.Profile = file, spec.DefaultProfile
		m.Spec.Components = map[component.Name]spec.Component{"csi-driver": {}}
		if adopted {
			m.Spec.Components["csi-driver"] = spec.Component{Principal: "storage@d"}
		}
		return m
	}
	all := []Member{
		of("a", "~/x", false, "vc1", "vc2"), of("b", "/home/x", false, "vc3", "VC2"), of("c", "/home/y", false, "vc1"),
		of("d", "/home/x", false, "vc4"), of("e", "/home/x", true, "vc1"), of("g", "/home/x", false, "vc3"), of("h", "~/y", false, "vc9"),
		{Name: "f", Err: errors.New("unread")},
	}
	var told []string
	for _, err := range Contested(all, "/home") {
		told = append(told, fmt.Sprint(err))
	}
	want := []string{
		"a.yaml: its accounts on VC2 have the same place in a credentials file as those of b.yaml",
		"b.yaml: its accounts on VC2 have the same place in a credentials file as those of a.yaml", "<nil>", "<nil>", "<nil>",
		"g.yaml: its accounts on vc3 have the same place in a credentials file as those of b.yaml", "<nil>", "<nil>",
	}
	if d := cmp.Diff(want, told); d != "" {
		t.Error(d)
	}
	without := []Member{of("a", "~/x", false, "vc1"), of("b", "", false, "vc1")}
	if errs := Contested(without, ""); errs[0] != nil || errs[1] != nil {
		t.Errorf("without a home: %v", errs)
	}
}

// A state file is read with its provisioning file, and is no cluster of its own, whatever is in it; another specification may have such
// a name.
func TestStateFilesAreNoClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const state = "apiVersion: ocp-vsphere-admin/v1\nkind: State\ncluster: a\ncomponents: {installer: {disabled: true}}\n"
	for name, data := range map[string]string{
		"a.yaml": fmt.Sprintf(text, "a", "vc1"), "a.state.yaml": state,
		"b.yaml": fmt.Sprintf(text, "b", "vc2"), "b.state.yaml": "a: b: c\n",
		"c.state.yaml": fmt.Sprintf(text, "c", "vc3"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Load([]string{dir})
	if err != nil || !slices.Equal(names(all), []string{"a", "b", "c"}) {
		t.Fatalf("%v, %v", names(all), err)
	}
	if all[0].Err != nil || !all[0].Spec.Disabled(component.Installer) || all[2].Err != nil {
		t.Error(all[0].Err, all[2].Err)
	}
	if err := all[1].Err; err == nil || !strings.Contains(err.Error(), "b.state.yaml:1: not valid YAML") {
		t.Error(err)
	}
}

// Clusters that share a vCenter or name one linked group belong together, also by way of others; equal names of domains say nothing.
func TestGroups(t *testing.T) {
	t.Parallel()
	all := []Member{
		member("a", "", "vc1"), member("b", "", "vc2", "VC1"), member("c", "", "vc3"), member("d", "x", "vc4"), member("e", "X", "vc5"),
		member("f", "", "vc5", "vc2"),
		{Name: "broken", Err: errors.New("broken")},
	}
	var got [][]string
	for _, g := range Groups(all) {
		got = append(got, names(g))
	}
	if d := cmp.Diff([][]string{{"a", "b", "d", "e", "f"}, {"c"}, {"broken"}}, got); d != "" {
		t.Error(d)
	}
}

// The shards of a fleet have every cluster once, groups whole, and another cluster of its own moves nobody.
func TestShards(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []Member
		for i := range rapid.IntRange(0, 30).Draw(t, "clusters") {
			group := rapid.SampledFrom([]string{"", "", "", "x", "y"}).Draw(t, "group")
			all = append(all, member(fmt.Sprintf("c%02d", i), group, fmt.Sprintf("vc%d", rapid.IntRange(0, 40).Draw(t, "vcenter"))))
		}
		count := rapid.IntRange(1, 8).Draw(t, "shards")
		in := map[string]int{}
		for i := range count {
			for _, m := range Take(all, &Shard{i, count}) {
				if _, twice := in[m.Name]; twice {
					t.Fatalf("%s is in two shards", m.Name)
				}
				in[m.Name] = i
			}
		}
		if len(in) != len(all) {
			t.Fatalf("%d of %d clusters are in a shard", len(in), len(all))
		}
		for _, g := range Groups(all) {
			for _, m := range g {
				if in[m.Name] != in[g[0].Name] {
					t.Fatalf("%s and %s belong together", m.Name, g[0].Name)
				}
			}
		}
		more := append(slices.Clone(all), member("d", "", "another"))
		for i := range count {
			for _, m := range Take(more, &Shard{i, count}) {
				if m.Name != "d" && in[m.Name] != i {
					t.Fatalf("%s moved", m.Name)
				}
			}
		}
	})
}

// A thousand clusters are spread over shards so that the largest has less than a half more than its part.
func TestShardsAreEven(t *testing.T) {
	t.Parallel()
	var all []Member
	for i := range 1000 {
		all = append(all, member(fmt.Sprintf("cluster-%d", i), "", fmt.Sprintf("vc%d", i)))
	}
	for i := range 10 {
		if n := len(Take(all, &Shard{i, 10})); n < 50 || n > 150 {
			t.Errorf("shard %d has %d clusters", i, n)
		}
	}
}

func TestParseShard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0/1": "0/1", "3/4": "3/4", "4/4": "", "-1/4": "", "1": "", "": "", "a/b": "", "0/0": "", "$(JOB_COMPLETION_INDEX)/4": "", "1/2/3": "",
	} {
		s, err := ParseShard(text)
		if want == "" && err == nil || want != "" && (err != nil || s.String() != want) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// All clusters are looked at, at most so many vCenters at once, and a crash of one is its own.
func TestRun(t *testing.T) {
	t.Parallel()
	all := []Member{member("a", "", "1", "2", "3", "4", "5"), {Name: "b", File: "b.yaml", Err: errors.New("broken")}}
	for i := range 20 {
		all = append(all, member(fmt.Sprintf("c%02d", i), "", "x", "y"))
	}
	var now, most atomic.Int64
	r := Runner{Parallel: 4}
	r.Look = func(_ context.Context, m Member, c *Cluster) {
		n := now.Add(int64(r.Weight(m)))
		for before := most.Load(); n > before && !most.CompareAndSwap(before, n); before = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-int64(r.Weight(m)))
		if m.Name == "c03" {
			panic("boom")
		}
		c.Outcome = OK
	}
	kept := 0
	r.Keep = func(Cluster) { kept++ }
	found := r.Run(context.Background(), all)
	if len(found) != len(all) || kept != len(all) || most.Load() > 4 || most.Load() < 3 {
		t.Errorf("%d of %d found, %d kept, %d vCenters at once", len(found), len(all), kept, most.Load())
	}
	for i, c := range found {
		failed := c.Name == "b" || c.Name == "c03"
		if c.Name != all[i].Name || (c.Outcome == Failed) != failed || failed && c.Error == "" || c.Ended.IsZero() {
			t.Errorf("%+v", c)
		}
	}
}

// Who interrupts a run gets what was done, and nothing is begun any more.
func TestRunIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	begun := 0
	r := Runner{Parallel: 1, Look: func(_ context.Context, _ Member, c *Cluster) {
		if begun++; begun == 2 {
			cancel()
		}
		c.Outcome = OK
	}}
	var all []Member
	for i := range 10 {
		all = append(all, member(fmt.Sprintf("c%d", i), "", "x"))
	}
	if found := r.Run(ctx, all); len(found) != 2 || begun != 2 {
		t.Errorf("%d begun, %d found", begun, len(found))
	}
}

// What an interrupted run found is taken by one that asks the same of the same specification on the same day.
func TestStore(t *testing.T) {
	t.Parallel()
	dir, now := filepath.Join(t.TempDir(), "results"), time.Now().UTC()
	s, err := OpenStore(dir, "verify", Earlier{})
	if err != nil {
		t.Fatal(err)
	}
	c := Cluster{Name: "a", Digest: "d", Outcome: Different, Ended: now, VCenters: []VCenter{}, Document: []byte(`{"a":1}`)}
	s.Keep(c)
	s.Keep(Cluster{Name: "b", Digest: "d", Outcome: Failed, Ended: now})
	if _, err := OpenStore(dir, "verify", Earlier{Resume: true}); err == nil || !strings.Contains(err.Error(), "another run is writing") {
		t.Errorf("two runs write into one directory: %v", err)
	}
	s.Close()
	gone := &Store{dir: filepath.Join(dir, "gone")}
	gone.Keep(c)
	gone.Keep(c)
	if err := gone.Err(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("not one error: %v", err)
	}
	if _, err := OpenStore(dir, "verify", Earlier{}); err == nil {
		t.Error("an earlier run is overwritten")
	}
	again, err := OpenStore(dir, "verify", Earlier{Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := again.Kept("a", "d", now.Add(time.Hour)); !ok || !cmp.Equal(got, c) {
		t.Errorf("%v, %s", ok, cmp.Diff(c, got))
	}
	for _, q := range []struct {
		why, name, digest string
		now               time.Time
	}{{"failed", "b", "d", now}, {"another specification", "a", "e", now}, {"yesterday", "a", "d", now.Add(25 * time.Hour)}, {"not there", "c", "d", now}} {
		if _, ok := again.Kept(q.name, q.digest, q.now); ok {
			t.Errorf("%s: taken", q.why)
		}
	}
	again.Close()
	if _, err := OpenStore(dir, "plan", Earlier{Resume: true}); err == nil || !strings.Contains(err.Error(), "results of verify") {
		t.Errorf("a verification is taken for a plan: %v", err)
	}
	if _, err := OpenStore(dir, "verify --strict", Earlier{Resume: true, Strict: true}); err == nil || !strings.Contains(err.Error(), "results of verify with other options") {
		t.Error(err)
	}
	other, err := OpenStore(dir, "verify --strict", Earlier{Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := other.Kept("a", "d", now); ok {
		t.Error("a verification is taken for a stricter one")
	}
	other.Close()
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not come to its end") {
		t.Errorf("%v", err)
	}
	again.Finish(New(Verify, "tool 1", now, nil, []Cluster{c}))
	if err := errors.Join(s.Err(), again.Err()); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(dir); err != nil || r.Summary.Different != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if s, err = OpenStore(dir, "verify", Earlier{Resume: true}); err != nil { // it ended: a new one begins
		t.Fatal(err)
	}
	if _, ok := s.Kept("a", "d", now); ok {
		t.Error("a run that ended is gone on with")
	}
}

// The shards of a fleet merge into what one run finds, in whatever order they are named.
func TestMerge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		began := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
		count := rapid.IntRange(1, 5).Draw(t, "shards")
		var all []Member
		of := map[string]Cluster{}
		for i := range rapid.IntRange(0, 20).Draw(t, "clusters") {
			m := member(fmt.Sprintf("c%02d", i), "", fmt.Sprintf("vc%d", i))
			all = append(all, m)
			of[m.Name] = Cluster{Name: m.Name, Outcome: rapid.SampledFrom([]Outcome{OK, Different, Failed}).Draw(t, "outcome"), VCenters: []VCenter{{Server: "x", Changes: &plan.Summary{Create: i}}}}
		}
		result := func(members []Member, s *Shard) *Result {
			var clusters []Cluster
			for _, m := range members {
				clusters = append(clusters, of[m.Name])
			}
			r := New(Plan, "tool 1", began, s, clusters)
			r.Ended = began.Add(time.Minute)
			return r
		}
		var parts []*Result
		var files []string
		for _, i := range rapid.Permutation(numbers(count)).Draw(t, "order") {
			s := &Shard{i, count}
			parts, files = append(parts, result(Take(all, s), s)), append(files, s.String())
		}
		got, err := Merge(files, parts)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(result(all, nil), got); d != "" {
			t.Fatal(d)
		}
		if count > 1 {
			got, err := Merge(files[1:], parts[1:])
			if err != nil || !slices.Equal(got.MissingShards, files[:1]) {
				t.Fatalf("%v, %v", got, err)
			}
		}
	})
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// What cannot be one fleet is refused.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	part := func(command, tool string, s *Shard, clusters ...string) *Result {
		var all []Cluster
		for _, name := range clusters {
			all = append(all, Cluster{Name: name, Outcome: OK})
		}
		return New(command, tool, time.Now(), s, all)
	}
	first := part(Verify, "tool 1", &Shard{0, 2}, "a")
	for want, second := range map[string]*Result{
		"one is of verify, and two of plan":               part(Plan, "tool 1", &Shard{1, 2}),
		"one was made by tool 1, and two by tool 2":       part(Verify, "tool 2", &Shard{1, 2}),
		"two is one of 3 shards, and another one is of 2": part(Verify, "tool 1", &Shard{1, 3}),
		"one and two are both shard 0/2":                  part(Verify, "tool 1", &Shard{0, 2}),
		"cluster a is in one and in two":                  part(Verify, "tool 1", &Shard{1, 2}, "a"),
	} {
		if _, err := Merge([]string{"one", "two"}, []*Result{first, second}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A figure that nobody can have counted is refused, wherever it stands.
func TestParseRefusesCounts(t *testing.T) {
	t.Parallel()
	const result = `{"apiVersion":"ocp-vsphere-admin/v1","kind":"FleetResult","clusters":[{"cluster":"a","outcome":"ok",%s}]}`
	for text, refused := range map[string]bool{
		`"requests":-1`: true, `"seconds":-1`: true, `"requests":9223372036854775807`: true, `"requests":7,"seconds":0.5`: false,
		`"vcenters":[{"changes":{"create":3,"update":-7}}]`: true, `"vcenters":[{"changes":{"delete":-7}}]`: true, `"vcenters":[{"changes":{"create":-7}}]`: true,
		`"vcenters":[{"accounts":[{"missing":-1}]}]`: true, `"vcenters":[{"accounts":[{"excess":-1}]}]`: true, `"vcenters":[{"accounts":[{"daysLeft":-1}]}]`: false,
	} {
		_, err := Parse("file", fmt.Appendf(nil, result, text))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "somebody changed this file") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"ocp-vsphere-admin/v1","kind":"FleetResult","command":"verify","clusters":[{"cluster":"a","outcome":"ok","vcenters":[{"accounts":[{"missing":1}]}]}]}`))
	f.Add([]byte(`{"apiVersion":"ocp-vsphere-admin/v1","kind":"FleetResult","shard":{"index":7,"count":2},"clusters":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse("file", data)
		if err != nil {
			return
		}
		if _, err := Merge([]string{"file"}, []*Result{r}); err != nil && len(r.Clusters) < 2 {
			t.Error(err)
		}
	})
}
