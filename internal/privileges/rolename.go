package privileges

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
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

// Base is the name without the digest: the name that versions before the digest gave the role.
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
	text := strings.Join(Strip(ids), "\n")
	if cluster != "" {
		text = cluster + "\x00" + text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digestLength]
}

// mostUnknown bounds how many privileges of a matrix, unknown to a vCenter, are tried in every combination.
const mostUnknown = 8

// Intact tells whether a role still holds what its name says that it holds: ids, and any of those privileges that its vCenter
// does not know.
func Intact(name, cluster string, ids, unknown []string) bool {
	if len(unknown) > mostUnknown {
		unknown = unknown[:mostUnknown]
	}
	for chosen := range 1 << len(unknown) {
		all := slices.Clone(ids)
		for i, id := range unknown {
			if chosen&(1<<i) != 0 {
				all = append(all, id)
			}
		}
		if strings.HasSuffix(name, "-"+roleDigest(cluster, all)) {
			return true
		}
	}
	return false
}

// RoleNames tells names of shared roles that a matrix gives from others.
type RoleNames struct{ sealed, plain, owned *regexp.Regexp }

// RoleNames are the names of roles for some components, behind a prefix; those for adopted accounts name the cluster.
func (m *Matrix) RoleNames(prefix, cluster string, components []component.Name) RoleNames {
	var words, scopes []string
	for _, c := range components {
		words = append(words, regexp.QuoteMeta(m.RoleWord(c)))
	}
	for _, s := range append(Scopes(), ScopeTemplate) {
		scopes = append(scopes, string(s))
	}
	part := alternatives("", words) + alternatives("-", words) + "*(" + alternatives("-", scopes) + "+(-" + string(HostGroup) + ")?|-" + ReadWord + ")?"
	digest := fmt.Sprintf("-[0-9a-f]{%d}", digestLength)
	prefix = regexp.QuoteMeta(prefix)
	return RoleNames{
		sealed: regexp.MustCompile("^" + prefix + part + digest + "$"),
		plain:  regexp.MustCompile("^" + prefix + part + "$"),
		owned:  regexp.MustCompile("^" + prefix + regexp.QuoteMeta(cluster) + "-" + part + digest + "$"),
	}
}

func alternatives(before string, words []string) string {
	return "(" + before + strings.Join(words, "|"+before) + ")"
}

// Sealed tells whether a name is one of a shared role, whole: openshift-csi-driver-datastore-3f9a1c is,
// openshift-csi-driver-datastore-team7 is somebody else's.
func (n RoleNames) Sealed(name string) bool { return n.sealed.MatchString(name) }

// Plain tells whether a name is one that versions before the digest gave.
func (n RoleNames) Plain(name string) bool { return n.plain.MatchString(name) }

// Owned tells whether a name is one of the cluster's own roles.
func (n RoleNames) Owned(name string) bool { return n.owned.MatchString(name) }

// RoleOwner is the cluster whose role for adopted accounts this is, by its name and its privileges, whatever its prefix; ""
// where it is none, or somebody changed its privileges. unknown is as in Intact. A cluster's name begins with the role's or
// behind a sign that is no letter and no digit, as the usual prefixes end. The digest tells which part of the name is the cluster's.
func RoleOwner(name string, ids, unknown []string) string {
	if i := len(name) - digestLength - 1; i <= 0 || name[i] != '-' || strings.Trim(name[i+1:], "0123456789abcdef") != "" {
		return ""
	}
	for start := range name {
		if start > 0 && !strings.ContainsRune("-_. ", rune(name[start-1])) {
			continue
		}
		for rest := name[start:]; ; {
			end := strings.LastIndexByte(rest, '-')
			if end <= 0 {
				break
			}
			if rest = rest[:end]; Intact(name, rest, ids, unknown) {
				return rest
			}
		}
	}
	return ""
}
