package privileges

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// ReadWord stands in the name of a role that only reads. Accounts of ours use the system's ReadOnly for that; what adopted
// accounts hold has to tell whose it is, and ReadOnly tells nobody.
const ReadWord = "read"

// digestLength is the number of hexadecimal digits at the end of a role's name.
const digestLength = 6

// RoleName is what a role is called: prefix, the owning cluster where there is one, components, scopes and variants
// (host-group) in the order of Components and Scopes, whatever the order given, and a digest of its privileges:
// openshift-csi-driver-datastore-3f9a1c. The digest makes roles immutable: other needs are another role, so that no cluster
// ever changes what another one works with, and a role whose privileges somebody changed shows it.
type RoleName struct {
	Prefix     string
	Cluster    string // owner of a role for adopted accounts; "" = shared by all clusters with the same needs
	Layout     string // LayoutComponent leaves out scopes and variants
	Components []component.Name
	Scopes     []Scope // empty: it only reads
	Variants   []string
}

// Base is the name without the digest. It proves nothing: whoever follows the design by hand gives roles such names.
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

// Sealed is a role's whole name, for the privileges that are wanted of it, without the implicit ones. Those are among them
// that a vCenter does not know and the role leaves out there: names do not depend on releases.
func Sealed(base, cluster string, ids []string) string { return base + "-" + roleDigest(cluster, ids) }

// roleDigest identifies the owner of a role and its privileges.
func roleDigest(cluster string, ids []string) string {
	return digestOf(cluster, strings.Join(Strip(ids), "\n"))
}

// digestOf is roleDigest of privileges that are one text already.
func digestOf(cluster, text string) string {
	if cluster != "" {
		text = cluster + "\x00" + text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digestLength]
}

// mostUnknown bounds how many privileges of a matrix, unknown to a vCenter, are tried in every combination.
const mostUnknown = 8

// Intact reports whether a role still holds what its name says that it holds: ids, and any of those privileges that its vCenter
// does not know.
func Intact(name, cluster string, ids, unknown []string) bool {
	_, ok := unsealed(name)
	return ok && sealedBy(name, cluster, heldWith(ids, unknown))
}

// sealedBy reports whether the digest of a name is that of an owner and one of some texts.
func sealedBy(name, cluster string, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasSuffix(name, "-"+digestOf(cluster, text)) })
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

// RoleNames are the names of roles for some components, behind a prefix; those for adopted accounts name the cluster.
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

// Sealed reports whether a name is one of a shared role, whole: openshift-csi-driver-datastore-3f9a1c is,
// openshift-csi-driver-datastore-team7 is somebody else's.
func (n RoleNames) Sealed(name string) bool {
	base, ok := unsealed(name)
	if ok {
		base, ok = strings.CutPrefix(base, n.prefix)
	}
	return ok && n.components("-"+base, false)
}

// Owned reports whether a name is one of the cluster's own roles.
func (n RoleNames) Owned(name string) bool {
	base, ok := unsealed(name)
	if ok {
		base, ok = strings.CutPrefix(base, n.prefix+n.cluster)
	}
	return ok && n.components(base, false)
}

// components reports whether text is components, and then scopes with or without the host group, or the word for reading.
func (n RoleNames) components(text string, some bool) bool {
	if some && (text == "" || text == "-"+ReadWord || n.scoped(text)) {
		return true
	}
	return slices.ContainsFunc(n.words, func(word string) bool {
		rest, ok := strings.CutPrefix(text, word)
		return ok && n.components(rest, true)
	})
}

func (n RoleNames) scoped(text string) bool {
	return slices.ContainsFunc(n.scopes, func(scope string) bool {
		rest, ok := strings.CutPrefix(text, scope)
		return ok && (rest == "" || rest == "-"+string(HostGroup) || n.scoped(rest))
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

// RoleParts is what stands in a role's name around a component: openshift-csi-driver-datastore-3f9a1c is openshift-, datastore
// and 3f9a1c for the CSI driver.
type RoleParts struct {
	Before string // the prefix, and the cluster where there is one
	For    string // scopes and variants, and further components; "" = the layout leaves them out
	Digest string
}

// PartsOf reads the name of a role as one that Base and Sealed give a component. ok is false where it cannot be one.
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

// RoleOwner is the cluster whose role for adopted accounts this is, by its name and its privileges, whatever its prefix; ""
// where it is none, or somebody changed its privileges. unknown is as in Intact. A cluster's name begins with the role's or
// behind a sign that is no letter and no digit, as the usual prefixes end. The digest tells which part of the name is the cluster's.
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
