// Package directory is the SSO domain of simulated vCenters: accounts, groups, their passwords and policies, lockout, tokens,
// and the other identity sources. It knows nothing of SOAP and nothing of vCenter; rules are numbered as in the package above.
package directory

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Principal is an account or a group as a vCenter knows it. Domain and Name are in the stored spelling.
type Principal struct {
	Domain, Name string
	Group        bool
}

// String is the form that a vCenter stores and returns: `VSPHERE.LOCAL\Administrator`.
func (p Principal) String() string { return strings.ToUpper(p.Domain) + `\` + p.Name }

// UPN is the form that the SSO service uses: `Administrator@vsphere.local`.
func (p Principal) UPN() string { return p.Name + "@" + p.Domain }

// Key identifies the principal whatever the spelling; a user and a group of one name differ.
func (p Principal) Key() string {
	kind := "user:"
	if p.Group {
		kind = "group:"
	}
	return kind + key(p.Domain, p.Name)
}

// UnknownPrincipal is the answer of Lookup for a name that stands for nobody.
// Unresolved means that the directory which should know could not be reached (R32).
type UnknownPrincipal struct {
	Name       string
	Unresolved bool
}

func (e *UnknownPrincipal) Error() string {
	if e.Unresolved {
		return fmt.Sprintf("principal %q cannot be resolved: its directory is unreachable", e.Name)
	}
	return fmt.Sprintf("principal %q is not in the directory", e.Name)
}

// Directory is the SSO domain that one vCenter or several linked ones share: accounts, groups,
// policies and the other identity sources. All methods are safe for parallel use, and all take
// names in each of the three forms (see Lookup).
type Directory struct {
	*state
	site int // of the vCenter through which it is seen: see Replica
}

// state is what all who see a directory share.
type state struct {
	mu        sync.Mutex
	now       func() time.Time
	delay     time.Duration // R32
	domain    string        // the SSO domain, "vsphere.local"
	fallback  string        // the domain that a bare name belongs to
	accounts  map[string]*account
	groups    map[string]*group
	sources   map[string]*source // by lower-case name, the SSO domain among them
	passwords PasswordPolicy
	lockout   LockoutPolicy
	tokens    map[string]token // by assertion id

	resetHistory bool // SetResetHistory

	sites       int           // that Replica made
	replication time.Duration // between them
}

// New makes an SSO domain with the accounts and groups that an installed one has. A new account counts as unknown to vCenter
// until userDelay has passed (R32).
func New(domain, adminPassword string, userDelay time.Duration, now func() time.Time) *Directory {
	d := &Directory{state: &state{
		now: now, delay: userDelay, domain: domain, fallback: domain,
		accounts: map[string]*account{}, groups: map[string]*group{}, sources: map[string]*source{},
		passwords: defaultPasswordPolicy(), lockout: defaultLockoutPolicy(), tokens: map[string]token{},
	}}
	d.preset(adminPassword)
	return d
}

// Domain is the name of the SSO domain.
func (d *Directory) Domain() string { return d.domain }

// Lookup resolves name@domain, DOMAIN\name or a bare name of the default domain, whatever the case (R28).
// The error is an *UnknownPrincipal; what was created counts as unknown until the delay has passed (R32).
func (d *Directory) Lookup(name string, isGroup bool) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	domain, bare := d.split(name)
	if s := d.sources[strings.ToLower(domain)]; s != nil && s.unreachable {
		return Principal{}, &UnknownPrincipal{Name: name, Unresolved: true}
	}
	k := key(domain, bare)
	if g := d.groups[k]; isGroup && g != nil && d.known(g.created) {
		return g.Principal, nil
	}
	if a := d.accounts[k]; !isGroup && a != nil && d.known(a.created) && !d.late(a.made) {
		return a.Principal, nil
	}
	return Principal{}, &UnknownPrincipal{Name: name}
}

// Reachable says whether names of a domain, by name or alias, can be resolved; a domain that nobody added can as well.
func (d *Directory) Reachable(domain string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sources[strings.ToLower(d.canonical(domain))]
	return s == nil || !s.unreachable
}

// DefaultDomain is the one that a bare name belongs to (R28).
func (d *Directory) DefaultDomain() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fallback
}

// known says whether vpxd has heard of something that was created at that time.
func (d *Directory) known(created time.Time) bool {
	return created.IsZero() || d.delay == 0 || d.now().Sub(created) >= d.delay
}

// GroupsOf lists the groups that p belongs to, also through other groups, sorted by domain and name.
func (d *Directory) GroupsOf(p Principal) []Principal {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.groupsOf(p)
}

func (d *Directory) groupsOf(p Principal) []Principal {
	seen := map[string]Principal{}
	queue := []Principal{p}
	for len(queue) > 0 {
		member := queue[0].Key()
		queue = queue[1:]
		for _, g := range d.groups {
			if _, member := g.members[member]; !member {
				continue
			}
			key := g.Key()
			if _, done := seen[key]; !done {
				seen[key] = g.Principal
				queue = append(queue, g.Principal)
			}
		}
	}
	if everyone := d.groups[key(d.domain, Everyone)]; everyone != nil && p.Key() != everyone.Key() {
		seen[everyone.Key()] = everyone.Principal
	}
	out := make([]Principal, 0, len(seen))
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, seen[key])
	}
	return out
}

// Implicit says whether a principal is a group whose members nobody lists: Everyone of the SSO domain.
func (d *Directory) Implicit(p Principal) bool { return p.Group && d.implicit(p.Domain, p.Name) }

func (d *Directory) implicit(domain, name string) bool {
	return strings.EqualFold(domain, d.domain) && strings.EqualFold(name, Everyone)
}

// split cuts one of the three name forms into domain and bare name.
func (d *Directory) split(name string) (domain, bare string) {
	if domain, bare, ok := strings.Cut(name, `\`); ok {
		return d.canonical(domain), bare
	}
	if i := strings.LastIndex(name, "@"); i >= 0 {
		return d.canonical(name[i+1:]), name[:i]
	}
	return d.fallback, name
}

// canonical replaces a domain's alias by its name.
func (d *Directory) canonical(domain string) string {
	for _, s := range d.sources {
		if s.Alias != "" && strings.EqualFold(s.Alias, domain) || strings.EqualFold(s.Name, domain) {
			return s.Name
		}
	}
	return domain
}

func key(domain, name string) string {
	return strings.ToLower(domain) + `\` + strings.ToLower(name)
}

func sortPrincipals(list []Principal) {
	sort.Slice(list, func(i, j int) bool { return list[i].Key() < list[j].Key() })
}
