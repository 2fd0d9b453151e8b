package installconfig

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// Render returns the text with accounts in the given form. Accounts that only the file has stay;
// only accounts, and credentialType with [ComponentScoped], change. It refuses what
// openshift-install would ([File.Check]), placeholders, unlisted servers, and a file with accounts
// in another form. Warnings and errors hold no password.
func (f *File) Render(form AccountFormat, accounts openshift.Accounts) (text []byte, warnings []string, err error) {
	planned, err := f.plan(form, accounts)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(planned.Check(), planned.CheckFilled(planned.Accounts())); err != nil {
		return nil, nil, err
	}
	e := newEditor(f)
	for i, p := range planned.entries {
		now := f.entries[i]
		behind := []string{passwordField, userField, "port", serverField}
		if form == ComponentScoped {
			e.remove(now.Object, passwordField)
			e.remove(now.Object, userField)
			behind = behind[2:]
		} else {
			user, server := now.main.field(userField), now.main.field(serverField)
			e.put(now.Object, want{name: user, value: p.main.user}, server)
			e.put(now.Object, want{name: passwordField, value: p.main.password.Reveal()}, user, server)
		}
		if w := p.wanted(form); len(w.children) > 0 {
			e.put(now.Object, w, behind...)
		}
	}
	if form == ComponentScoped && f.kind != typeScoped {
		if _, there := own(f.vsphere, credentialTypeField); there {
			e.put(f.vsphere, want{name: credentialTypeField, value: typeScoped})
		} else {
			e.before(f.vsphere, vcentersField, want{name: credentialTypeField, value: typeScoped})
		}
	}
	if text, err = f.judged(e, planned); err != nil {
		return nil, nil, err
	}
	return text, append(f.differences(planned, accounts), planned.notes()...), nil
}

// Strip returns the text without components' accounts. It refuses half an account, which
// [File.Accounts] skips and which would be lost. Warnings say what is missing then.
func (f *File) Strip() (text []byte, warnings []string, err error) {
	planned := *f
	planned.form, planned.entries = Passthrough, slices.Clone(f.entries)
	r := newReader(f.name)
	e := newEditor(f)
	for i, now := range f.entries {
		for name, a := range now.components {
			if (a.user == "") != a.password.Empty() {
				r.At(now.credentials.Where(name),
					"is half an account, which would be lost: add its user or password, or remove it")
			}
		}
		e.remove(now.Object, credentialsField)
		planned.entries[i].components = nil
		if !now.main.whole() {
			warnings = append(warnings, fmt.Sprintf("%s: no user and password is left: the installer needs them unless accounts are rendered again", now.server))
		}
	}
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	if f.kind == typeScoped {
		e.remove(f.vsphere, credentialTypeField)
		if f.mode == modeManual {
			warnings = append(warnings,
				"credentialsMode: Manual is kept: remove it for an installation with one account")
		}
	}
	text, err = f.judged(e, &planned)
	return text, warnings, err
}

// plan is the future file with the lines of the present one, for errors.
func (f *File) plan(form AccountFormat, accounts openshift.Accounts) (*File, error) {
	r := newReader(f.name)
	if !slices.Contains(Forms(), form) {
		return nil, fmt.Errorf("unknown form %q", form)
	}
	if f.form != Passthrough && form != f.form {
		p := f.vsphere.Where(credentialTypeField)
		for _, e := range f.entries {
			if len(e.credentials.Names) > 0 {
				p = e.Where(credentialsField)
				break
			}
		}
		r.At(p, "has accounts in the form %s: remove them first ('install-config extract --strip')", f.form)
		return nil, r.Err()
	}
	servers := f.Servers()
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		if !slices.Contains(servers, server) {
			near := ""
			if n := hint.Nearest(server, servers); n != "" {
				near = ", did you mean " + n + "?"
			}
			r.At(f.vsphere.Where(vcentersField),
				"%q is not listed, so its accounts cannot be written: the names must match exactly%s", server,
				near)
		}
	}
	planned := *f
	planned.form, planned.entries = form, slices.Clone(f.entries)
	if form == ComponentScoped {
		planned.kind = typeScoped
	}
	for i := range planned.entries {
		planned.entries[i] = f.entries[i].with(r, form, accounts[f.entries[i].server])
	}
	return &planned, r.Err()
}

func (e entry) with(r *yamldoc.Reader, form AccountFormat, accounts map[component.Name]credfile.Account) entry {
	e.components = maps.Clone(e.components)
	for _, m := range form.members() {
		a, ok := accounts[m.component]
		if !ok {
			continue
		}
		was := e.components[m.name]
		if was.Path == "" {
			was.Object = yamldoc.Object{Place: e.credentials.Field(m.name)}
			was.Line = max(was.Line, e.Line)
		}
		e.components[m.name] = was.set(r, a)
	}
	if form == ComponentScoped {
		e.main = account{Object: yamldoc.Object{Place: e.Place}}
		e.Object = e.Without(userField, passwordField)
	} else if a, ok := accounts[component.Installer]; ok {
		e.main = e.main.set(r, a)
	}
	return e
}

// set refuses values that no reader takes, or that YAML cannot hold.
func (a account) set(r *yamldoc.Reader, to credfile.Account) account {
	for _, v := range []struct{ name, value string }{{userField, to.User}, {passwordField, to.Password.Reveal()}} {
		p := a.Where(a.field(v.name))
		p.Line = max(p.Line, a.Line)
		switch {
		case v.value == "":
			r.At(p, "is empty: an account has user and password")
		case strings.ContainsAny(v.value, "\r\n\u0085\u2028\u2029"):
			r.At(p, "would hold a line break, which the readers of the secrets refuse: choose another")
		case !utf8.ValidString(v.value) || strings.ContainsFunc(v.value, yamldoc.Unprintable):
			r.At(p, "would hold a control character: choose another")
		}
	}
	a.user, a.password = to.User, to.Password
	return a
}

func (e entry) wanted(form AccountFormat) want {
	w := want{name: credentialsField}
	for _, m := range form.members() {
		if a, ok := e.components[m.name]; ok {
			w.children = append(w.children, want{name: m.name, children: []want{
				{name: userField, value: a.user}, {name: passwordField, value: a.password.Reveal()},
			}})
		}
	}
	return w
}

// judged checks the edited text: planned accounts, and everything else unchanged.
func (f *File) judged(e *editor, planned *File) ([]byte, error) {
	text, err := e.result()
	if err != nil {
		return nil, err
	}
	by := "cannot be edited safely: write vcenters as a block, each field on a separate line, without anchors"
	after, err := Parse(f.name, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", f.name, by)
	}
	switch {
	case after.form != planned.form && !planned.bare():
		err = errors.New("form")
	case !maps.EqualFunc(after.Accounts(), planned.Accounts(), func(a, b map[component.Name]credfile.Account) bool {
		return maps.EqualFunc(a, b, credfile.Account.Same)
	}):
		err = errors.New("accounts")
	}
	before, small := outline(f.root)
	if now, ok := outline(after.root); err == nil && (!small || !ok || now != before) {
		err = errors.New("rest")
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s", f.name, f.vsphere.Where(vcentersField).Line, by)
	}
	return text, nil
}

func (f *File) bare() bool {
	return f.form != ComponentScoped &&
		!slices.ContainsFunc(f.entries, func(e entry) bool { return len(e.components) > 0 })
}

// maxDepth bounds how deep values nest, merge keys included.
const maxDepth = 100

// outline is a digest of the file without accounts; ok is false if it unfolds without end.
func outline(root *yaml.Node) (digest string, ok bool) {
	r := newReader("")
	h := sha256.New()
	var walk func(n *yaml.Node, path []string)
	walk = func(n *yaml.Node, path []string) {
		n = r.Resolve(n)
		if n == nil || len(path) > maxDepth {
			r.At(yamldoc.Place{}, "too deep")
			return
		}
		fmt.Fprintf(h, "%d %q %q\n", n.Kind, n.ShortTag(), n.Value)
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := ""
				if k := r.Resolve(n.Content[i]); k != nil {
					key = k.ShortTag() + k.Value
				}
				if below := append(slices.Clone(path), key); !ours(below) {
					fmt.Fprintf(h, "%q\n", key)
					walk(n.Content[i+1], below)
				}
			}
		case yaml.SequenceNode:
			for i, c := range n.Content {
				walk(c, append(slices.Clone(path), strconv.Itoa(i)))
			}
		}
		fmt.Fprintln(h, "end")
	}
	walk(root, nil)
	return string(h.Sum(nil)), r.Count() == 0
}

// ours reports whether the value at path is an account's, or says which form it has.
func ours(path []string) bool {
	at := func(i int, name string) bool { return len(path) > i && strings.EqualFold(path[i], "!!str"+name) }
	if !at(0, platformField) || !at(1, vsphereField) {
		return false
	}
	return at(2, credentialTypeField) || at(2, deprecated[userField]) || at(2, passwordField) ||
		at(2, vcentersField) && (at(4, userField) || at(4, passwordField) || at(4, credentialsField))
}
