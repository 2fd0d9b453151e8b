package report

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// sample is a report that says a little of everything, with names of somebody's choice.
func sample(server, principal, object string) *Report {
	n, r := 7, New("ocp-vsphere-admin test", "c1", time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC))
	r.Scope = Scope{Profile: "kube-system", Matrix: "default", Digest: "abc", RolePrefix: "openshift-", Components: []string{"csi-driver"}}
	r.Grants = []Grant{{Component: "csi-driver", Scope: "datastore", Privilege: "Datastore.Browse", Why: "volumes", Source: "test"}}
	entry := Entry{Role: "openshift-csi-driver-datastore-057cc1", Word: "datastore", Propagate: true, Counts: true}
	r.VCenters = []VCenter{{
		Server: server, InstanceUUID: "uuid-" + server, Version: "8.0.3", Reader: "admin@" + server,
		Accounts:       []inspect.RotatedAccount{{Component: "csi-driver", Principal: principal, Generation: 1, Stage: inspect.StageInUse, States: []string{"ok"}, AgeDays: &n, Secrets: []string{"ns/" + object}}},
		Administrators: []Administrator{{Principal: principal, Group: true, How: "role Admin on the root folder", Members: []string{"m-" + principal}}},
		Columns:        []Column{{Principal: principal, Components: []string{"csi-driver"}}, {Principal: "other-" + principal, Components: []string{}}},
		Map: []Node{
			{Path: "/", Type: "Folder", Cells: []Cell{{}, {State: inspect.PermissionMissing, Wanted: "vcenter"}}},
			{Path: "/" + object, Type: "Datacenter", Depth: 1, Cells: []Cell{{Entries: []Entry{entry}, State: inspect.PermissionWanted}, {Entries: []Entry{{Role: object, From: "/", Counts: true, Through: principal}}}}},
		},
		Needs:   []Needed{{Component: "csi-driver", Object: "/" + object, Grants: []int{0}}},
		History: History{Events: []Event{{Time: r.Made, What: "permission added", By: principal, Object: "/" + object, Principal: principal, Role: object}}, RetentionDays: &n},
	}}
	r.Domains = []inspect.UserDomain{{Domain: "dom-" + server, VCenters: []string{server}, Users: []inspect.User{{Component: "csi-driver", Principal: principal, Adopted: true, States: []string{"ok"}}}}}
	f := finding.New("missing-privileges", object, "%s lacks it on %s", principal, object)
	f.About(server, "csi-driver")
	r.Verification = &verify.Result{
		Findings: []*finding.Finding{f},
		VCenters: []verify.VCenter{{Server: server, Accounts: []verify.Account{{
			Component: "csi-driver", Principal: principal, Login: login.OK,
			Objects: []verify.Object{{Path: "/" + object, Scope: "datastore", Missing: []string{"Datastore.Browse"}, Excess: []string{}}},
		}}}},
		Summary: verify.Summary{Accounts: 1, Failed: 1, Missing: 1},
	}
	r.Complete()
	return r
}

// hostile are names with whatever HTML, SVG, scripts, styles and Markdown could take for their own.
var hostile = rapid.StringOfN(rapid.RuneFrom([]rune("<>&\"'`/\\=(){}[]|*_#;:-!\n\t\x00\u2028\u202e\u001f\x1babé漢")), 1, 24, -1)

// steering are those of them that act on what is around them.
const steering = "\x00\u2028\u202e\x1b"

// Names never become markup: the page of a report with any names has the tags of one with harmless names, and its table the cells.
func TestNamesAreNoMarkup(t *testing.T) {
	t.Parallel()
	skeleton := func(page []byte) (tags, quotes int) {
		page = regexp.MustCompile(`<bdi title="[^"]*">`).ReplaceAll(page, []byte("<bdi>")) // long names have one
		return bytes.Count(page, []byte("<")), bytes.Count(page, []byte(`"`))
	}
	harmless, err := sample("v", "p", "o").HTML()
	if err != nil {
		t.Fatal(err)
	}
	tags, quotes := skeleton(harmless)
	rows := bytes.Count(sample("v", "p", "o").Markdown(), []byte("\n|"))
	rapid.Check(t, func(t *rapid.T) {
		r := sample(hostile.Draw(t, "server"), hostile.Draw(t, "principal"), strings.ReplaceAll(hostile.Draw(t, "object"), "/", "%2f"))
		page, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		if gotTags, gotQuotes := skeleton(page); gotTags != tags || gotQuotes != quotes {
			t.Errorf("%d tags and %d quotes, want %d and %d", gotTags, gotQuotes, tags, quotes)
		}
		index, err := Index{Rows: []IndexRow{{Cluster: r.VCenters[0].Server, File: r.VCenters[0].Server, Why: r.VCenters[0].Server}}}.HTML()
		if err != nil || bytes.ContainsAny(page, steering) || bytes.ContainsAny(index, steering) {
			t.Errorf("%v, or a name hides something", err)
		}
		if got := bytes.Count(r.Markdown(), []byte("\n|")); got != rows {
			t.Errorf("%d rows of Markdown, want %d", got, rows)
		}
	})
}

// A name that is read from the right stands for itself in a sentence as well, whatever follows it: its end and a path around it are kept.
func TestNamesStandForThemselves(t *testing.T) {
	t.Parallel()
	const name, escaped = "שלום <1>", "<bdi>שלום &lt;1&gt;</bdi>"
	r := sample("vc", name+"@dom", name)
	r.VCenters[0].Others = []Other{{Principal: name, Object: "/" + name, Role: "עורך", Allows: MayChange, Removal: "govc permissions.remove '" + name + "'"}}
	r.VCenters[0].Notes = []string{"nothing is known of " + name + "@dom: 2"}
	r.Exceptions = []Exception{{Finding: finding.StrangerChanges, Subject: name, Objects: []string{"/" + name}, Owner: "דנה", Reason: "גיבוי 7", Expires: "2027-01-31"}}
	r.Complete()
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	path := "<bdi>/" + strings.TrimPrefix(escaped, "<bdi>")
	for want, n := range map[string]int{
		"may change " + path + " by role <bdi>עורך</bdi>":                   2,
		"govc permissions.remove &#39;" + escaped + "&#39;</code>":          2,
		"<li>vc: nothing is known of <bdi>שלום &lt;1&gt;@dom</bdi>: 2</li>": 1,
		"accepted by <bdi>דנה</bdi> until 2027-01-31: <bdi>גיבוי 7</bdi>":   3,
		"<bdi>שלום &lt;1&gt;@dom</bdi> lacks it on " + escaped:              2,
	} {
		if got := strings.Count(string(page), want); got != n {
			t.Errorf("%d of %s, want %d", got, want, n)
		}
	}
	if strings.ContainsAny(string(page), "\x01\x02") {
		t.Error("a mark is left")
	}
}

// Each source stands once on the page, with a number that the reasons name.
func TestSourcesStandOnce(t *testing.T) {
	t.Parallel()
	r := sample("v", "p", "o")
	r.Grants = []Grant{{Privilege: "a", Why: "x", Source: "one; two"}, {Privilege: "b", Why: "y", Source: "two; three", Evidence: "code"}}
	r.VCenters[0].Needs = nil
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<li id="source-1">one</li><li id="source-2">two</li><li id="source-3">three</li></ol>`,
		`<a href="#source-1">1</a>, <a href="#source-2">2</a></td>`, `<a href="#source-2">2</a>, <a href="#source-3">3</a> (code)</td>`,
	} {
		if strings.Count(string(page), want) != 1 {
			t.Errorf("no %s", want)
		}
	}
}

// The page asks for nothing and lets nothing else run: what it may do stands in its policy, and nothing in it is fetched.
func TestPageNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	page, err := sample("v", "p", "o").HTML()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{"default-src 'none'", "script-src '" + markdown.SourceHash(pageScript) + "'", "style-src '" + markdown.SourceHash(pageStyle) + "'"} {
		if !strings.Contains(html.UnescapeString(text), want) {
			t.Errorf("no %s in the policy", want)
		}
	}
	if !strings.Contains(text, "<style>"+pageStyle+"</style>") || !strings.Contains(text, "<script>"+pageScript+"</script>") {
		t.Error("style or script are not as they were hashed: the browser refuses them")
	}
	for _, never := range []string{"src=", "http:", "https:", "url(", "@import", "style=", "onclick"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %s", never)
		}
	}
}

// Nothing of what a report names is left in a redacted one, in any of its forms; the figures stay.
func TestRedacted(t *testing.T) {
	t.Parallel()
	r := sample("vc1.corp.example.com", `svc-ocp@corp.example.com`, "Finance DC")
	r.Scope.Matrix = "Bank-matrix"
	r.VCenters[0].Error, r.VCenters[0].Notes = "login as jane@bank.example: refused", []string{"jane@bank.example lacks it"}
	r.Verification.VCenters[0].Error = "cannot be reached at 192.0.2.7:443"
	r.Verification.VCenters[0].Accounts[0].Login, r.Verification.VCenters[0].Accounts[0].Reason = "jane@bank.example: refused", "/home/jane/creds.ini has none"
	r.Verification.Findings[0].Text, r.Verification.Findings[0].Remedies = "see /home/jane/creds.ini", []string{"verify -f /home/jane/x.yaml"}
	r.VCenters[0].History.Unknown = "jane may not"
	redacted := r.Redact(nil)
	data, err := json.Marshal(redacted)
	if err != nil {
		t.Fatal(err)
	}
	page, err := redacted.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(data), string(page), string(redacted.Markdown())} {
		for _, name := range []string{"vc1", "corp", "example", "svc-ocp", "Finance", "admin@", "uuid-", "jane", "192.0.2", "creds", "Bank"} {
			if strings.Contains(text, name) {
				t.Errorf("%q is left in %.60s", name, text)
			}
		}
	}
	if r.VCenters[0].Error == redacted.VCenters[0].Error {
		t.Error("the report that was given is redacted, too")
	}
	if d := cmp.Diff(r.Verification.Summary, redacted.Verification.Summary); d != "" || !redacted.Redacted {
		t.Error(d)
	}
	if again, err := Read("x", data); err != nil || r.CheckComparable(again) == nil {
		t.Errorf("a redacted report is compared with: %v", err)
	}
}

// A later report says what came, what went and what is otherwise, and nothing where nothing is.
func TestSince(t *testing.T) {
	t.Parallel()
	earlier, r := sample("v", "p", "o"), sample("v", "p", "o")
	r.Compare(earlier)
	if len(r.Since.Changes) > 0 {
		t.Errorf("nothing changed: %v", r.Since.Changes)
	}
	r.VCenters[0].Map[1].Cells[0].Entries[0].Propagate = false
	r.VCenters[0].Administrators[0].Members = []string{"m-p", "new"}
	r.VCenters[0].Accounts[0].States = []string{"disabled"}
	r.Compare(earlier)
	want := []Change{
		{"v", "account p", "in use, ok", "in use, disabled"},
		{"v", "administrator p", "role Admin on the root folder: m-p", "role Admin on the root folder: m-p, new"},
		{"v", "permission of p on /o", "openshift-csi-driver-datastore-057cc1 ↓", "openshift-csi-driver-datastore-057cc1"},
	}
	if d := cmp.Diff(want, r.Since.Changes); d != "" {
		t.Error(d)
	}
	// What could not be read is no change.
	r = sample("v", "p", "o")
	r.VCenters[0].Version = ""
	r.VCenters[0].Error, r.VCenters[0].Map, r.VCenters[0].Accounts, r.VCenters[0].Administrators = "gone", nil, nil, nil
	r.Compare(earlier)
	if len(r.Since.Changes) > 0 {
		t.Errorf("an unread vCenter changed: %v", r.Since.Changes)
	}
}

// A control that is met no more, or again, is a change in each format, redacted too; one that another version of the tool had no table for is none.
func TestSinceOfControls(t *testing.T) {
	t.Parallel()
	earlier, r := clean(), clean()
	if r.Compare(earlier); len(r.Since.Changes) > 0 {
		t.Errorf("nothing changed: %v", r.Since.Changes)
	}
	r.Domains[0].Lockout.MaxFailedAttempts = 11
	two := finding.New(finding.MissingTags, "", "a")
	r.Verification.Findings = finding.List{two, finding.New(finding.MissingTags, "b", "b")}
	r.Complete()
	i := slices.IndexFunc(earlier.Controls, func(c Control) bool { return c.name() == "SOC 2 CC6.1" })
	earlier.Controls = slices.Delete(earlier.Controls, i, i+1)
	r.Compare(earlier)
	want := []Change{
		{"", "finding missing-tags cluster c1", "", "a"},
		{"", "finding missing-tags b", "", "b"},
		{"", "control PCI DSS 4.0.1 8.3.4", "met", "not met"},
	}
	if d := cmp.Diff(want, r.Since.Changes); d != "" {
		t.Error(d)
	}
	for _, r := range []*Report{r, r.Redact(earlier)} {
		for i, text := range texts(t, r) {
			if from := strings.Index(text, "control PCI DSS 4.0.1 8.3.4"); from < 0 || !strings.Contains(text[from:from+120], "not met") {
				t.Errorf("format %d does not say it, redacted %t", i, r.Redacted)
			}
		}
	}
}

// What a login without rights in SSO does not see is no change either, nor is what was left out of a part.
func TestSinceUnseen(t *testing.T) {
	t.Parallel()
	earlier, r := sample("v", "p", "o"), sample("v", "p", "o")
	r.Verification.Incomplete = []string{"v"}
	r.VCenters[0].Accounts[0].Stage, r.VCenters[0].Accounts[0].States = inspect.StageUnknown, []string{inspect.StageUnknown}
	r.VCenters[0].Administrators[0].Members = nil
	r.Compare(earlier)
	if len(r.Since.Changes) > 0 {
		t.Errorf("what is not seen changed: %v", r.Since.Changes)
	}
	if got := r.foundAccounts(); !strings.Contains(got, "0 of them not in use, of 1 it is not known") {
		t.Errorf("%q", got)
	}
	r.Scope.Partial, r.Scope.Components = true, nil
	if err := r.CheckComparable(earlier); err == nil {
		t.Error("a part is compared with the whole")
	}
}

// vCenters that should be equal are compared in what does not name one of them.
func TestBetween(t *testing.T) {
	t.Parallel()
	r := sample("v1", "a@x", "o")
	other := sample("v2", "a@y", "o")
	other.VCenters[0].Version = "7.0.3"
	r.VCenters = append(r.VCenters, other.VCenters...)
	r.Verification, r.Domains = nil, nil
	want := []Difference{{"release", []Value{{"7.0.3", []string{"v2"}}, {"8.0.3", []string{"v1"}}}}}
	if d := cmp.Diff(want, r.between()); d != "" {
		t.Error(d)
	}
}

// A signature is of one file and one key; what ssh-keygen makes of it a script shows.
func TestSign(t *testing.T) {
	t.Parallel()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []any{ed, slow} {
		signer, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := Sign([]byte("report"), signer)
		if err != nil {
			t.Fatal(err)
		}
		if by, err := CheckSignature([]byte("report"), sig); err != nil || ssh.FingerprintSHA256(by) != ssh.FingerprintSHA256(signer.PublicKey()) {
			t.Errorf("%T: %v", key, err)
		}
		if _, err := CheckSignature([]byte("Report"), sig); err == nil {
			t.Errorf("%T: another file passes", key)
		}
		for i := 40; i < len(sig)-40; i += 17 {
			broken := bytes.Clone(sig)
			broken[i] ^= 1
			if by, err := CheckSignature([]byte("report"), broken); err == nil && ssh.FingerprintSHA256(by) != ssh.FingerprintSHA256(signer.PublicKey()) {
				t.Errorf("%T: byte %d: another key passes", key, i)
			}
		}
	}
	if _, err := ParseSigner("key", []byte("no key"), func(string) (secret.Secret, error) { return secret.Secret{}, nil }); err == nil || !strings.Contains(err.Error(), "no private key") {
		t.Error(err)
	}
}

// What is read is what was written, and what somebody cut about is refused, not drawn.
func TestRead(t *testing.T) {
	t.Parallel()
	r := sample("v", "p", "o")
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read("x", data)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := r.HTML()
	if got, err := again.HTML(); err != nil || !bytes.Equal(got, page) {
		t.Errorf("another page: %v", err)
	}
	for name, change := range map[string]func(*Report){
		"cells":  func(r *Report) { r.VCenters[0].Map[0].Cells = nil },
		"grants": func(r *Report) { r.VCenters[0].Needs[0].Grants = []int{4} },
		"null":   func(r *Report) { r.Verification.Findings = []*finding.Finding{nil} },
		"kind":   func(r *Report) { r.Kind = "Plan" },
	} {
		broken := sample("v", "p", "o")
		change(broken)
		data, _ := json.Marshal(broken)
		if _, err := Read("x", data); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// FuzzRead reads anything as a report, and draws what it reads.
func FuzzRead(f *testing.F) {
	data, err := json.Marshal(sample("v", "p", "o"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read("x", data)
		if err != nil {
			return
		}
		page, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(page, []byte("<script")) != 1 || bytes.Count(page, []byte("<style")) != 1 {
			t.Error("a name became markup")
		}
		_ = r.Markdown()
		r.Compare(sample("v", "p", "o"))
		_ = r.Redact(r).Markdown()
	})
}

// Every word that a report says of a cell is drawn: a cell that says nothing is empty in the map, not in the table.
func TestBoxes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell             Cell
		class, text      string
		bad              bool
		fullContainsThis string
	}{
		{Cell{}, "", "", false, "nothing"},
		{Cell{Entries: []Entry{{Role: "R", Word: "folder", Propagate: true, Counts: true}}, State: inspect.PermissionWanted}, "set", "folder ↓", false, "folder (role R), propagates"},
		{Cell{Entries: []Entry{{Role: "R", Word: "folder", Propagate: true, Counts: true, From: "/DC"}}}, "from", "folder", false, "inherited from /DC"},
		{Cell{State: inspect.PermissionMissing, Wanted: "folder ↓"}, "bad", "! nothing, wanted: folder ↓", true, "missing, wanted: folder ↓"},
		{Cell{Entries: []Entry{{Role: "Admin", Counts: true}}, State: inspect.PermissionUnwanted}, "bad", "! Admin, not wanted", true, "not wanted"},
		{Cell{Entries: []Entry{{Role: "Admin", From: "/", Why: "displaced by the nearer permission on", By: "/DC"}}}, "", "", false, "does not count: displaced by the nearer permission on /DC"},
		{Cell{Entries: []Entry{{Role: "Admin", Propagate: true, Counts: true}}, State: inspect.PermissionDiffers, Wanted: "read ↓"}, "bad", "! Admin ↓, wanted: read ↓", true, "differs, wanted: read ↓"},
		{Cell{Entries: []Entry{{Role: "R", Word: "datastore", Counts: true, Drift: []string{"+Datastore.Delete"}}}, State: inspect.PermissionDiffers, Wanted: "datastore"}, "bad", "! datastore, wanted: datastore", true, "privileges were changed: +Datastore.Delete"},
		{Cell{Entries: []Entry{{Role: "R", Counts: true, Through: "g"}}}, "set", "R", false, "through the group g"},
	} {
		b := boxOf(c.cell)
		if b.Class != c.class || b.Text != c.text || b.Bad != c.bad || !strings.Contains(b.Full, c.fullContainsThis) {
			t.Errorf("%+v: %+v", c.cell, b)
		}
	}
}

// No field of the report is of a type that could hold a password.
func TestNoSecretInReport(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type, string)
	walk = func(typ reflect.Type, at string) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if typ == reflect.TypeFor[secret.Secret]() {
			t.Errorf("%s is a secret", at)
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			walk(typ.Elem(), at)
		case reflect.Struct:
			for field := range typ.Fields() {
				walk(field.Type, fmt.Sprintf("%s.%s", at, field.Name))
			}
		}
	}
	walk(reflect.TypeFor[Report](), "Report")
}

// The tiles of the page have the figures of the verification.
func TestTiles(t *testing.T) {
	t.Parallel()
	page, err := sample("v", "p", "o").HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<dt>accounts</dt><dd>1</dd>", "<dt>failed</dt><dd>1</dd>", "<dt>privileges missing</dt><dd>1</dd>", "<dt>findings</dt><dd>1</dd>"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
}
