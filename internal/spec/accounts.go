package spec

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// accountName is the part of a user name before the domain.
var accountName = pattern.Of(`^[a-zA-Z0-9._-]+$`)

// groupName is a group's name in Active Directory (sAMAccountName: no "/\[]:;|=,+*?<>), with
// domain.
var groupName = pattern.Of(
	`^(?:[a-zA-Z0-9.-]+\\[^\pC"/\\\[\]:;|=,+*?<>@]+|[^\pC"/\\\[\]:;|=,+*?<>@]+@[a-zA-Z0-9.-]+)$`)

// localGroup is the name of a group of the SSO domain, without the domain.
var localGroup = pattern.Of(`^[^\pC"/\\\[\]:;|=,+*?<>@ ](?:[^\pC"/\\\[\]:;|=,+*?<>@]*[^\pC"/\\\[\]:;|=,+*?<>@ ])?$`)

var clusterName = pattern.Of(`^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)

// maxAccountName is our bound: vCenter documents none, and its lists cut longer names.
const maxAccountName = 64

// Account is what a component logs in with.
type Account struct {
	Component component.Name // the profile may share one account among components
	Name      string         // of the account that we create, without a domain: "ocp-cluster1-machine-api"
	Principal string         // name@domain or DOMAIN\name of another's account or group; "" = ours
	Group     *bool          // whether Principal is a group; nil = whichever the identity sources have
	MemberOf  string         // group of the SSO domain that gets the permissions of our account; "" = none
	Named     bool           // we create Principal if its vCenter has none; see Spec.Settle

	before, after string // what stands around the number of a generation in a name
	plain         string // the name of generation 1 if it has no number, or ""
}

// generation stands for the number of an account's generation in accounts.username.
const generation = "{generation}"

// Account is the one that a component works with, in its first generation.
func (s *Spec) Account(c component.Name) Account {
	c = s.accountOf(c)
	name := strings.ReplaceAll(s.Accounts.Username, "{component}", string(c))
	name = strings.ReplaceAll(name, "{cluster}", s.Cluster)
	of := s.component(c)
	a := Account{
		Component: c, Principal: of.Principal, Group: of.Group, MemberOf: of.MemberOf,
		Named: of.Principal != "" && of.Name != "",
	}
	var numbered bool
	if a.before, a.after, numbered = strings.Cut(name, generation); !numbered {
		a.plain, a.before = name, name+"-"
	}
	if of.Name != "" && a.Generation(of.Name) == 0 {
		a.plain, a.before, a.after = of.Name, of.Name+"-", ""
	}
	return a.Of(1)
}

// Of is another generation of our account: 1 is the first, and a rotation makes the next.
func (a Account) Of(generation int) Account {
	a.Name = a.plain
	if generation > 1 || a.plain == "" {
		a.Name = a.before + strconv.Itoa(generation) + a.after
	}
	return a
}

// Generation is the generation of name, name@domain or DOMAIN\name; 0 = not a name of this account.
func (a Account) Generation(name string) int {
	name = name[strings.Index(name, `\`)+1:]
	name, _, _ = strings.Cut(name, "@")
	if a.plain != "" && strings.EqualFold(name, a.plain) {
		return 1
	}
	digits := len(name) - len(a.before) - len(a.after)
	if digits < 1 || !strings.EqualFold(name[:len(a.before)], a.before) ||
		!strings.EqualFold(name[len(a.before)+digits:], a.after) {
		return 0
	}
	n, err := strconv.Atoi(name[len(a.before) : len(a.before)+digits])
	if err != nil || n < 1 || !strings.EqualFold(a.Of(n).Name, name) { // we never write "01" or "+1"
		return 0
	}
	return n
}

// CheckName says why vCenter may refuse the account's name, nil if it does not.
func (a Account) CheckName() error {
	if len(a.Name) > maxAccountName {
		return fmt.Errorf("account name %s has %d characters, more than %d: shorten accounts.username",
			hint.Quote(a.Name), len(a.Name), maxAccountName)
	}
	return nil
}

// Ours reports whether we create and remove the account; others only get permissions.
func (a Account) Ours() bool { return a.Principal == "" }

// ByGroup reports whether the account is ours and gets its rights through a group.
func (a Account) ByGroup() bool { return a.Ours() && a.MemberOf != "" }

// In is the account's whole name on a vCenter whose own SSO domain is domain.
func (a Account) In(domain string) string {
	if a.Ours() {
		return a.Name + "@" + domain
	}
	return a.Principal
}

// MayBe reports whether a login as user can be of the account, without asking a vCenter: any domain
// and generation of ours, anyone for a group.
func (a Account) MayBe(user string) bool {
	if !a.Ours() {
		return a.Group != nil && *a.Group || SameUser(a.Principal, user) ||
			a.Makes(user) && (domainOf(a.Principal) == "" || strings.EqualFold(domainOf(a.Principal), domainOf(user)))
	}
	return a.Generation(user) > 0
}

// Makes reports whether a user is a generation of an account that we create, or may have created.
func (a Account) Makes(user string) bool { return (a.Ours() || a.Named) && a.Generation(user) > 0 }

// Misnamed is the account that the specification names for a component instead of user; "" if none.
func (s *Spec) Misnamed(of component.Name, user string) string {
	switch a := s.Account(of); {
	case a.MayBe(user):
		return ""
	case a.Ours():
		return fmt.Sprintf("is %s, and the specification names %s in the vCenter's own domain", user, a.Name)
	default:
		return fmt.Sprintf("is %s, and the specification names %s", user, a.Principal)
	}
}

// Shared lists the accounts by component, folded by the profile of s, which may be nil.
func (s *Spec) Shared(accounts openshift.Accounts) openshift.Accounts {
	if s == nil {
		return accounts
	}
	for _, own := range accounts {
		for _, c := range component.Names() {
			account, has := own[s.Whole().Account(c).Component]
			if has {
				own[c] = account
			}
		}
	}
	return accounts
}

// CheckAccounts checks the names of the cluster and accounts of a spec not from Load, or changed.
func (s *Spec) CheckAccounts() error {
	var errs []error
	for _, p := range s.accountProblems() {
		errs = append(errs, errors.New(p.text))
	}
	return errors.Join(errs...)
}

type accountProblem struct {
	ofCluster bool // else of the template
	text      string
}

// accountProblems looks at names only as far as they are used: an adopted account has its own.
func (s *Spec) accountProblems() []accountProblem {
	switch {
	case s.Cluster == "":
		return []accountProblem{{true, "cluster is missing"}}
	case !clusterName().MatchString(s.Cluster):
		return []accountProblem{{true, fmt.Sprintf(
			"cluster name %s: letters, digits, dots, hyphens and underscores only, with a letter or digit at both ends", hint.Quote(s.Cluster))}}
	}
	template := s.Accounts.Username
	if strings.Count(template, generation) > 1 {
		return []accountProblem{{false, fmt.Sprintf("account name %s has %s twice", hint.Quote(template), generation)}}
	}
	if strings.ContainsAny(template, `@\`) {
		return []accountProblem{{false, fmt.Sprintf(
			"account name %s has a domain: omit it, because accounts are created in the vCenter's own SSO domain", hint.Quote(template))}}
	}
	var problems []accountProblem
	var shared []string
	byName := map[string]component.Name{}
	for _, c := range s.ComponentNames() {
		account := s.Account(c)
		if !account.Ours() {
			continue
		}
		name := account.Name
		if other, taken := byName[strings.ToLower(name)]; taken {
			if len(shared) == 0 {
				shared = append(shared, string(other))
			}
			shared = append(shared, string(c))
			continue
		}
		byName[strings.ToLower(name)] = c
		if !accountName().MatchString(name) {
			return []accountProblem{{false, fmt.Sprintf(
				"account name %s: letters, digits, dots, hyphens and underscores only; {cluster}, {component} and {generation} are filled in", hint.Quote(name))}}
		}
		if err := account.CheckName(); err != nil && len(problems) == 0 {
			problems = append(problems, accountProblem{false, err.Error()})
		}
	}
	if len(shared) > 0 {
		problems = append(problems, accountProblem{false, fmt.Sprintf(
			"account name %s would be shared by %s: put {component} into it", hint.Quote(template),
			strings.Join(shared, ", "))})
	}
	return problems
}

// accounts reports wrong names in a file, at the lines of the cluster and the template.
func (r *reader) accounts(s *Spec, cluster, username yamldoc.Text) {
	for _, p := range s.accountProblems() {
		at := username.Place
		switch {
		case p.ofCluster && cluster.Bad || !p.ofCluster && username.Bad:
			continue
		case p.ofCluster && cluster.Value == "":
			r.missing(cluster.Place)
			continue
		case p.ofCluster || username.Value == "": // the cluster's name is wrong
			at = cluster.Place
		}
		r.At(at, "%s", p.text)
	}
}

// principal accepts what the CSI driver accepts as a user, and more for a group, which never logs
// in. group is nil if the file does not tell.
func (r *reader) principal(t yamldoc.Text, group *bool) {
	isGroup := group != nil && *group
	switch {
	case credfile.CheckUser(t.Value) == nil, isGroup && groupName().MatchString(t.Value):
	case isGroup && strings.ContainsAny(t.Value, `@\`):
		r.At(t.Place, `%s is not a group name: write name@domain or DOMAIN\name`, hint.Quote(t.Value))
	case group == nil && groupName().MatchString(t.Value):
		r.At(t.Place, `%s is a name that the CSI driver refuses for a user; if it is a group, add group: true`, hint.Quote(t.Value))
	case !strings.ContainsAny(t.Value, `@\`):
		r.At(t.Place, `%s has no domain: write name@domain or DOMAIN\name`, hint.Quote(t.Value))
	default:
		r.At(t.Place, `%s is a name that the CSI driver refuses: name@domain or DOMAIN\name, with letters, digits, dots and hyphens, `+
			`and underscores before the @ or after the \`, hint.Quote(t.Value))
	}
}

// memberOf accepts a group of one component's account alone, because its members share its rights.
func (r *reader) memberOf(t yamldoc.Text, principal string, others map[component.Name]Component) {
	switch {
	case principal != "":
		r.At(t.Place, "cannot be set with principal, whose groups others decide: write the group as principal, with group: true")
	case strings.ContainsAny(t.Value, `@\`):
		r.At(t.Place, "%s has a domain: omit it, because the group is one of the vCenter's own SSO domain", hint.Quote(t.Value))
	case !localGroup().MatchString(t.Value):
		r.At(t.Place, "%s is not a group name", hint.Quote(t.Value))
	}
	for other, of := range others {
		if strings.EqualFold(of.MemberOf, t.Value) {
			r.At(t.Place, "%s is the group of %s too: name one for each, because all members of a group have all of its rights",
				hint.Quote(t.Value), other)
		}
	}
}

// ClusterOf is the name of the cluster that an account belongs to by its user name; "" = not such a
// name, or the names do not tell clusters apart.
func (s *Spec) ClusterOf(user string) string {
	if !strings.Contains(s.Accounts.Username, "{cluster}") {
		return ""
	}
	name := user[strings.Index(user, `\`)+1:]
	name, _, _ = strings.Cut(name, "@")
	for _, c := range component.Names() {
		form := regexp.QuoteMeta(strings.ReplaceAll(s.Accounts.Username, "{component}", string(c)))
		form = strings.Replace(form, regexp.QuoteMeta("{cluster}"), "(.+)", 1)
		form = strings.ReplaceAll(form, regexp.QuoteMeta("{cluster}"), ".+")
		if numbered := regexp.QuoteMeta(generation); strings.Contains(form, numbered) {
			form = strings.ReplaceAll(form, numbered, "[0-9]+")
		} else {
			form += "(?:-[0-9]+)?"
		}
		if m := regexp.MustCompile("(?i)^" + form + "$").FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

// AnotherCluster is the other cluster that a user is of by its name; "" = none, or it may be the
// component's account.
func (s *Spec) AnotherCluster(c component.Name, user string) string {
	of := s.ClusterOf(user)
	if s.Cluster == "" || strings.EqualFold(of, s.Cluster) || s.Account(c).MayBe(user) {
		return ""
	}
	return of
}

// OfOthers are the users of accounts that are other clusters' by their names, and those clusters.
func (s *Spec) OfOthers(accounts openshift.Accounts) (users, clusters []string) {
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		for _, c := range component.Names() {
			user := accounts[server][c].User
			if of := s.At(server).AnotherCluster(c, user); of != "" {
				users, clusters = lists.AppendNew(users, user), lists.AppendNew(clusters, of)
			}
		}
	}
	return users, clusters
}

// OfCluster reports whether the specification names a component that every cluster of
// openshift-install has, unlike Cluster API or an auditor.
func (s *Spec) OfCluster() bool {
	return slices.ContainsFunc(s.ComponentNames(), func(c component.Name) bool { return !c.OptIn() })
}
