package privileges

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

//go:embed matrix/*.yaml
var embedded embed.FS

// Matrix says which privilege each component needs at which scope. It is not changed after Load.
type Matrix struct {
	Name, Source, AsOf, Description string
	Releases                        Releases // of OpenShift that it holds for; zero = all
	Notes                           []string
	Rows                            []Row // by Components order, within a component as in the file
	Preflight                       []PreflightGroup
	Ancestors                       *AncestorRule             // nil: grants nothing on the ancestors
	Upstream                        map[component.Name]string // the source's other name of it
	Stated                          map[component.Name]string // privileges that the source counts: ~35

	words map[component.Name]string // see RoleWord
}

// Row is one privilege of one component at one scope.
type Row struct {
	Component       component.Name
	Scope           Scope
	Propagate       bool
	Privilege       string
	Conditions      []Condition // holds when at least one holds; never empty
	GrantConditions []Condition // of setting it there; empty = Conditions
	Evidence        string      // how the need is known; "" in a file
	Why             string      // may be empty in a file of the user
	Source          string
	Unknown         bool // no vCenter has this id: visible, marked, never sent

	Added bool        // a release requires it; see With
	Own   []Condition // of an added row: those under which the matrix has it itself
}

// PreflightGroup holds privileges that openshift-install checks on one object before it starts.
// Groups, Privileges and Description follow the installer's order and its error text.
type PreflightGroup struct {
	Group, Description string
	Scope              Scope
	Privileges         []string
	Conditions         []Condition
}

// AncestorRule grants Privileges, without propagation, on the containers above each granted object.
type AncestorRule struct {
	Components []component.Name `json:"components" yaml:"components,flow"`
	Privileges []string         `json:"privileges" yaml:"privileges,flow"`
	Why        string           `json:"why"        yaml:"why,omitempty"`
	Source     string           `json:"source"     yaml:"source,omitempty"`
}

// Names returns the embedded matrices.
func Names() []string {
	return []string{"enhancement", "documented", "component-scoped", "installer", "capv", "auditor", "minimal", "default"}
}

// Load returns the embedded matrix of a name, or reads a file (see the package comment). Its error
// joins all that is wrong, each with line, field and nearest known name. Lint checks the ids.
func Load(nameOrPath string) (*Matrix, error) {
	m, _, err := LoadText(nameOrPath)
	return m, err
}

// LoadText is Load that also returns the text of a file for LoadFrom; nil for an embedded matrix.
func LoadText(nameOrPath string) (*Matrix, []byte, error) {
	if slices.Contains(Names(), nameOrPath) {
		m, err := loadEmbedded(nameOrPath)
		return m, nil, err
	}
	data, err := files.UTF8(files.Read(nameOrPath, files.Text))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !looksLikePath(nameOrPath):
		err := unknown("matrix", nameOrPath, Names())
		return nil, nil, fmt.Errorf("%w (a file needs a path: ./%s.yaml)", err, nameOrPath)
	case err != nil:
		return nil, nil, fmt.Errorf("read privilege matrix: %w", err)
	}
	m, err := LoadFrom(nameOrPath, data)
	return m, data, err
}

// Digest is the SHA-256 of a matrix in hexadecimal: of a text from [LoadText], or of the embedded
// one.
func Digest(name string, text []byte) string {
	if text == nil {
		text, _ = embedded.ReadFile("matrix/" + name + ".yaml")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// LoadFrom is Load of a file that was read before.
func LoadFrom(nameOrPath string, data []byte) (*Matrix, error) {
	m, err := Parse(nameOrPath, data)
	if err != nil {
		return nil, err
	}
	if slices.Contains(Names(), m.Name) {
		return nil, fmt.Errorf("%s: name %q is used by an embedded matrix: choose another one", nameOrPath, m.Name)
	}
	return m, nil
}

// embeddedIDs are the sorted privileges of all embedded matrices, without the unknown ones.
var embeddedIDs = sync.OnceValues(func() ([]string, error) {
	var ids []string
	for _, name := range Names() {
		m, err := loadEmbedded(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, m.Privileges()...)
	}
	return sortedUnique(ids), nil
})

// EmbeddedIDs returns the privileges of all embedded matrices, sorted, with the implicit ones.
func EmbeddedIDs() ([]string, error) {
	ids, err := embeddedIDs()
	return slices.Clone(ids), err
}

// parsed has a function for each embedded matrix that was loaded, because parsing takes longer than
// most commands.
var parsed sync.Map

// loadEmbedded returns a matrix of its caller's own: rows may be added and replaced.
func loadEmbedded(name string) (*Matrix, error) {
	parse, _ := parsed.LoadOrStore(name, sync.OnceValues(func() (*Matrix, error) {
		data, err := embedded.ReadFile("matrix/" + name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("embedded privilege matrix: %w", err)
		}
		return Parse(name+".yaml", data)
	}))
	shared, err := parse.(func() (*Matrix, error))() //nolint:errcheck,forcetypeassert // stored above
	if err != nil {
		return nil, err
	}
	m := *shared
	m.Notes, m.Rows, m.Preflight = slices.Clone(m.Notes), slices.Clone(m.Rows), slices.Clone(m.Preflight)
	m.Upstream, m.Stated, m.words = maps.Clone(m.Upstream), maps.Clone(m.Stated), maps.Clone(m.words)
	return &m, nil
}

func looksLikePath(s string) bool {
	ext := filepath.Ext(s)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(s, filepath.Separator) || s == ""
}

// Components returns the components that the matrix has rows for, in the usual order.
func (m *Matrix) Components() []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(m.Rows, func(r Row) bool { return r.Component == c })
	})
}

// Privileges returns the sorted ids of the matrix, without unknown and with implicit ones.
func (m *Matrix) Privileges() []string {
	var ids []string
	for _, r := range m.Rows {
		if !r.Unknown {
			ids = append(ids, r.Privilege)
		}
	}
	return sortedUnique(ids)
}

// Fold returns a copy of the matrix for shared accounts: rows of a component move to
// into[component], or are dropped if into lacks it. words replace the names of components in the
// names of roles.
func (m *Matrix) Fold(into map[component.Name]component.Name, words map[component.Name]string) *Matrix {
	folded := *m
	folded.words = maps.Clone(words)
	folded.Rows = nil
	for _, c := range component.Names() { // a component's own rows first, as in every matrix
		for _, r := range m.Rows {
			if to, ok := into[r.Component]; ok && to == c {
				r.Component = to
				folded.Rows = append(folded.Rows, r)
			}
		}
	}
	if m.Ancestors != nil {
		rule := *m.Ancestors
		rule.Components = nil
		for _, c := range m.Ancestors.Components {
			if to, ok := into[c]; ok && !slices.Contains(rule.Components, to) {
				rule.Components = append(rule.Components, to)
			}
		}
		folded.Ancestors = &rule
	}
	return &folded
}

// RoleWord names a component between prefix and scope of its roles: its own name, unless folded.
func (m *Matrix) RoleWord(c component.Name) string {
	if word, ok := m.words[c]; ok {
		return word
	}
	return string(c)
}
