package privileges

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// MaxRoleName is how many characters the name of a role has at most. Source: that of entities,
// vSphere Configuration Maximums.
const MaxRoleName = 80

// ReadWord stands in the name of a role that only reads. Only adopted accounts have such a role,
// which has to name its cluster; others use the system's ReadOnly.
const ReadWord = "read"

// digestLength is the number of hexadecimal digits at the end of a role's name.
const digestLength = 6

// RoleName makes the name of a role: prefix, owning cluster if any, components, scopes and variants
// (host-group) in canonical order, and a digest of its privileges:
// openshift-csi-driver-datastore-3f9a1c. The digest makes roles immutable: other needs are another
// role, no cluster changes the role of another one, and a changed role shows it.
type RoleName struct {
	Prefix     string
	Cluster    string // owner of a role for adopted accounts; "" = shared by clusters
	Layout     string // LayoutComponent leaves out scopes and variants
	Components []component.Name
	Scopes     []Scope // empty: it only reads
	Variants   []string
}

// Base is the name without the digest. It proves nothing: roles made by hand have such names too.
func (m *Matrix) Base(n RoleName) string {
	var parts []string
	if n.Cluster != "" {
		parts = append(parts, n.Cluster)
	}
	for _, c := range component.Names() {
		if slices.Contains(n.Components, c) {
			parts = append(parts, m.RoleWord(c))
		}
	}
	if n.Layout != LayoutComponent {
		for _, s := range append(Scopes(), ScopeTemplate) {
			if slices.Contains(n.Scopes, s) {
				parts = append(parts, string(s))
			}
		}
		parts = append(parts, n.Variants...)
	}
	if len(n.Scopes) == 0 {
		parts = append(parts, ReadWord)
	}
	return n.Prefix + strings.Join(parts, "-")
}

// Sealed is a role's whole name for the wanted privileges, without implicit ones. It includes those
// that a vCenter does not know, so that names do not depend on releases.
func Sealed(base, cluster string, ids []string) string {
	return base + "-" + digestOf(cluster, strings.Join(Strip(ids), "\n"))
}

// digestOf is roleDigest of privileges that are one text already.
func digestOf(cluster, text string) string {
	if cluster != "" {
		text = cluster + "\x00" + text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digestLength]
}

// mostUnknown bounds how many unknown privileges of a matrix are tried in every combination.
const mostUnknown = 8

// Intact reports whether a role holds the privileges of its name: ids, and any of the unknown ones,
// which its vCenter lacks.
func Intact(name, cluster string, ids, unknown []string) bool {
	_, ok := unsealed(name)
	return ok && sealedBy(name, cluster, heldWith(ids, unknown))
}

// sealedBy reports whether the digest of a name is that of an owner and one of some texts.
func sealedBy(name, cluster string, texts []string) bool {
	return slices.ContainsFunc(texts,
		func(text string) bool { return strings.HasSuffix(name, "-"+digestOf(cluster, text)) })
}

// heldWith is what roleDigest makes a digest of, with each choice of the unknown privileges.
func heldWith(ids, unknown []string) []string {
	if len(unknown) > mostUnknown {
		unknown = unknown[:mostUnknown]
	}
	var texts []string
	for chosen := range 1 << len(unknown) {
		all := slices.Clone(ids)
		for i, id := range unknown {
			if chosen&(1<<i) != 0 {
				all = append(all, id)
			}
		}
		texts = append(texts, strings.Join(Strip(all), "\n"))
	}
	return texts
}

// RoleNames tells names of shared roles that a matrix gives from others.
type RoleNames struct {
	prefix, cluster string
	words, scopes   []string // each with a hyphen before it
}

// RoleNames are the names of roles behind a prefix; those for adopted accounts name the cluster.
func (m *Matrix) RoleNames(prefix, cluster string, components []component.Name) RoleNames {
	n := RoleNames{prefix: prefix, cluster: cluster}
	for _, c := range components {
		n.words = append(n.words, "-"+m.RoleWord(c))
	}
	for _, s := range append(Scopes(), ScopeTemplate) {
		n.scopes = append(n.scopes, "-"+string(s))
	}
	return n
}

// Sealed reports whether a name is that of a shared role: openshift-csi-driver-datastore-3f9a1c is,
// openshift-csi-driver-datastore-team7 is not.
func (r RoleNames) Sealed(name string) bool {
	base, ok := unsealed(name)
	if ok {
		base, ok = strings.CutPrefix(base, r.prefix)
	}
	return ok && r.components("-"+base, false)
}

// Owned reports whether a name is one of the cluster's own roles.
func (r RoleNames) Owned(name string) bool {
	base, ok := unsealed(name)
	if ok {
		base, ok = strings.CutPrefix(base, r.prefix+r.cluster)
	}
	return ok && r.components(base, false)
}

// components reports whether text is components, and then scopes with or without host group, or
// ReadWord.
func (r RoleNames) components(text string, some bool) bool {
	if some && (text == "" || text == "-"+ReadWord || r.scoped(text)) {
		return true
	}
	return slices.ContainsFunc(r.words, func(word string) bool {
		rest, ok := strings.CutPrefix(text, word)
		return ok && r.components(rest, true)
	})
}

func (r RoleNames) scoped(text string) bool {
	return slices.ContainsFunc(r.scopes, func(scope string) bool {
		rest, ok := strings.CutPrefix(text, scope)
		return ok && (rest == "" || rest == "-"+string(HostGroup) || r.scoped(rest))
	})
}

// unsealed is a name without the digest at its end.
func unsealed(name string) (string, bool) {
	i := len(name) - digestLength - 1
	if i < 0 || name[i] != '-' || strings.Trim(name[i+1:], "0123456789abcdef") != "" {
		return "", false
	}
	return name[:i], true
}

// RoleParts are the parts of a role's name around a component: openshift-, datastore and 3f9a1c of
// openshift-csi-driver-datastore-3f9a1c.
type RoleParts struct {
	Before string // the prefix, and the cluster where there is one
	For    string // scopes and variants, and further components; "" = the layout leaves them out
	Digest string
}

// PartsOf reads the name of a component's role. ok is false if it cannot be one.
func PartsOf(name string, c component.Name) (parts RoleParts, ok bool) {
	base, ok := unsealed(name)
	before, after, found := strings.Cut(base, string(c))
	if !ok || !found || before != "" && !separates(before[len(before)-1]) {
		return RoleParts{}, false
	}
	what, cut := strings.CutPrefix(after, "-")
	return RoleParts{Before: before, For: what, Digest: name[len(base)+1:]}, cut || after == ""
}

// separates reports whether a sign ends the prefix of a role, as the usual ones end.
func separates(sign byte) bool { return strings.IndexByte("-_. ", sign) >= 0 }

// RoleOwner is the cluster that owns a role for adopted accounts, by its name and privileges,
// whatever its prefix; "" if it is no such role or its privileges changed. unknown is as in Intact.
// A cluster's name starts the role's name or follows a sign that is no letter and no digit; the
// digest confirms it.
func RoleOwner(name string, ids, unknown []string) string {
	if base, ok := unsealed(name); !ok || base == "" {
		return ""
	}
	texts := heldWith(ids, unknown)
	for start := range name {
		if start > 0 && !separates(name[start-1]) {
			continue
		}
		for rest := name[start:]; ; {
			end := strings.LastIndexByte(rest, '-')
			if end <= 0 {
				break
			}
			if rest = rest[:end]; sealedBy(name, rest, texts) {
				return rest
			}
		}
	}
	return ""
}

// Layouts of roles: one per component and object, or one per component.
const (
	LayoutScope     = "scope"
	LayoutComponent = "component"
)

// ScopeTemplate names the role on the folder of a template outside the virtual machine folder. No
// matrix has it: its privileges are [Cloning].
const ScopeTemplate Scope = "template"

// Cloning returns what a clone needs on its template. Source: vSphere Web Services API, CloneVM_Task.
func Cloning() []string {
	return []string{"Cryptographer.Clone", "VirtualMachine.Provisioning.Clone", "VirtualMachine.Provisioning.DeployTemplate"}
}

// RoleSetOptions describe one failure domain as far as roles depend on it.
type RoleSetOptions struct {
	Components []component.Name // empty = those of the matrix
	// FolderExisting, PoolExisting and HostGroup describe the failure domain; others as in Grants
	Holds    map[Condition]bool
	Layout   string   // LayoutScope (also "") or LayoutComponent
	Prefix   string   // of role names; it may be empty
	Known    []string // privileges of the vCenter; nil = it knows all of them
	Template bool     // the template is outside the folder that FolderExisting speaks of
}

// RoleDef is one role as it has to be made.
type RoleDef struct {
	Name       string // see Sealed
	Component  component.Name
	Variants   []string
	Scopes     []Scope  // it names them in LayoutScope; ScopeTemplate may be among them
	Propagate  bool     // whether a permission with this role propagates, on one object at least
	Privileges []string // sorted, without the implicit ones; System.Read alone if it only reads
	Rows       []Row    // all behind it, those that read only included
}

// TopologyOf makes the conditions of folder and pool exclude each other, as those of a failure domain do.
func TopologyOf(holds map[Condition]bool) map[Condition]bool {
	out := map[Condition]bool{}
	maps.Copy(out, holds)
	out[FolderCreated], out[PoolRoot] = !out[FolderExisting], !out[PoolExisting]
	return out
}
