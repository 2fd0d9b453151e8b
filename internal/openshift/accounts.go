package openshift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Accounts holds the accounts by server and component; "installer" is the main account.
type Accounts map[string]map[component.Name]credfile.Account

// Count is how many accounts there are.
func (a Accounts) Count() (n int) {
	for _, own := range a {
		n += len(own)
	}
	return n
}

// FromFile collects the accounts of servers from a credentials file. A server without any has an empty entry.
func FromFile(f *credfile.File, servers []string) Accounts {
	a := Accounts{}
	for _, server := range servers {
		a[server] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			if account, ok := f.Get(server, c); ok {
				a[server][c] = account
			}
		}
	}
	return a
}

// Only are the accounts of these components, without those that others fall back to.
func (a Accounts) Only(list []component.Name) Accounts {
	only := Accounts{}
	for server, own := range a {
		only[server] = maps.Clone(own)
		maps.DeleteFunc(only[server], func(c component.Name, _ credfile.Account) bool { return !slices.Contains(list, c) })
	}
	return only
}

// The ends of a secret's keys: <server>.username and <server>.password.
const (
	userKey     = ".username"
	passwordKey = ".password"
)

// contents is what the data of a secret says to those who look for vCenters in it.
type contents struct {
	accounts map[string]credfile.Account // by server; with both keys, whatever is in them
	half     []string                    // keys whose other half is missing
	foreign  []string                    // keys that only the cloud controller manager knows: server_1, username_1, password_1
	numbered map[string]credfile.Account // by server; those of whole sets of such keys
	unknown  []string                    // other keys
}

func read(data map[string][]byte) contents {
	c := contents{accounts: map[string]credfile.Account{}, numbered: map[string]credfile.Account{}}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		server, isUser := strings.CutSuffix(key, userKey)
		other := server + passwordKey
		if !isUser {
			var isPassword bool
			if server, isPassword = strings.CutSuffix(key, passwordKey); !isPassword {
				server = ""
			}
			other = server + userKey
		}
		_, both := data[other]
		switch {
		case server == "" && numbered(key):
			c.foreign = append(c.foreign, key)
		case server == "":
			c.unknown = append(c.unknown, key)
		case !both:
			c.half = append(c.half, key)
		case isUser:
			c.accounts[server] = credfile.Account{User: string(data[key]), Password: secret.New(string(data[other]))}
		}
	}
	for _, key := range c.foreign {
		id, isServer := strings.CutPrefix(key, "server_")
		user, password := data["username_"+id], data["password_"+id]
		if isServer && user != nil && password != nil {
			c.numbered[string(data[key])] = credfile.Account{User: string(user), Password: secret.New(string(password))}
		}
	}
	return c
}

// account is what a consumer finds for a server. The cloud controller manager alone reads numbered keys, which can name an IPv6 address
// that no other key can.
func (c contents) account(consumer, server string) (credfile.Account, bool) {
	a, ok := c.accounts[server]
	if !ok && consumer == string(component.CloudController) {
		a, ok = c.numbered[server]
	}
	return a, ok
}

// numbered reports whether only the cloud controller manager knows a key (openshift/cloud-provider-vsphere@a15538776eb2,
// pkg/common/credentialmanager).
func numbered(key string) bool {
	return strings.HasPrefix(key, "server_") || strings.HasPrefix(key, "username_") || strings.HasPrefix(key, "password_")
}

// plain are the keys that would be of an account, but do not say of which vCenter.
func (c contents) plain() []string {
	return slices.DeleteFunc(slices.Clone(c.unknown), func(key string) bool { return !plainKey(key) })
}

func plainKey(key string) bool { return key == userKey[1:] || key == passwordKey[1:] || key == "user" }

// servers are those with an account, sorted.
func (c contents) servers() []string { return slices.Sorted(maps.Keys(c.accounts)) }

func same(a, b credfile.Account) bool { return a.User == b.User && a.Password.Equal(b.Password) }

// CheckFilled refuses accounts that were read from secrets, as file, and of which a part is a placeholder.
func (a Accounts) CheckFilled(file string) error {
	return credfile.CheckFilled(a, func(server string, c component.Name, part string) (place, field string) {
		return file, fmt.Sprintf("%s: %s of %s", server, part, c)
	})
}

// ReadAccounts takes the accounts out of secrets: those of any profile, as `oc get secrets -o yaml` prints them or as
// [Secrets] makes them. A component's secret in kube-system (found by annotation or name) goes before the one that it
// reads in its own namespace; kube-system/vsphere-creds is the main account, "installer", and else Hive's. What is merely a copy is not
// an account of its own: a component's secret that holds the main account, or a main account that is machine-api's while
// others differ. What is ignored is in the warnings; neither they nor the error hold a password.
func ReadAccounts(name string, data []byte) (Accounts, []string, error) {
	secrets, err := objects.ParseSecrets(name, data)
	if err != nil {
		return nil, nil, err
	}
	secrets, again := objects.Latest(secrets)
	s := sources{dedicated: Accounts{}, target: Accounts{}, root: Accounts{}, hive: Accounts{}, again: again}
	slices.SortStableFunc(secrets, func(a, b corev1.Secret) int { // an annotation goes before a name
		return strings.Compare(b.Annotations[requestKey], a.Annotations[requestKey])
	})
	for _, from := range secrets {
		s.take(from)
	}
	if len(s.dedicated)+len(s.target)+len(s.root)+len(s.hive) == 0 {
		return nil, s.warnings, fmt.Errorf("%s: no secret has a vCenter account (keys <server>.username and <server>.password, or Hive's %s)", name, hiveKey)
	}
	return s.accounts(), s.warnings, nil
}

// sources are the accounts of a dump by where they stand.
type sources struct {
	dedicated Accounts // in kube-system, per component
	target    Accounts // in the components' own namespaces
	root      Accounts // of the installer alone
	hive      Accounts // that Hive removes the cluster with: the installer's
	again     map[component.Ref]bool
	warnings  []string
}

func (s *sources) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// take puts the accounts of one secret where they belong.
func (s *sources) take(from corev1.Secret) {
	at := component.At(from.Namespace, from.Name)
	found := read(from.Data)
	c, into := s.belongs(from)
	if c == "" {
		if len(found.accounts) > 0 && !copies(at) {
			s.warn("%s: has accounts of %s, but of no known component: ignored", at, strings.Join(found.servers(), ", "))
		}
		of, err := hiveAccounts(from)
		if err != nil {
			s.warn("%s: %v: ignored", at, err)
		}
		for _, a := range of {
			s.put(at, s.hive, a.server, component.Installer, a.Account)
		}
		return
	}
	if s.again[at] {
		s.warn("%s: is in the dump more than once: the last one is used", at)
	}
	for _, key := range append(found.half, found.unknown...) {
		s.warn("%s: key %q is not part of an account: ignored", at, key)
	}
	if len(found.foreign) > 0 {
		s.warn("%s: %s: only the cloud controller manager reads such keys: ignored", at, strings.Join(found.foreign, ", "))
	}
	for _, server := range found.servers() {
		s.put(at, into, server, c, found.accounts[server])
	}
}

// put takes the account of a component for a vCenter from a secret, unless an earlier one has it.
func (s *sources) put(at component.Ref, into Accounts, server string, c component.Name, a credfile.Account) {
	reason := a.Unusable()
	if len(a.Unfilled()) > 0 {
		reason = "" // whoever takes it refuses it: it is to be filled in
	}
	if server == "" {
		reason = "the vCenter is missing"
	}
	before, again := into[server][c]
	switch {
	case reason != "":
		s.warn("%s: %s: %s: ignored", at, cmp.Or(server, hiveKey), reason)
	case again && !same(before, a):
		s.warn("%s: %s: ignored, because another account of %s in another secret is used", at, server, c)
	case !again:
		if into[server] == nil {
			into[server] = map[component.Name]credfile.Account{}
		}
		into[server][c] = a
	}
}

// belongs tells whose accounts a secret holds, and which kind of source it is; the root secret's are the installer's.
func (s *sources) belongs(from corev1.Secret) (component.Name, Accounts) {
	at := component.At(from.Namespace, from.Name)
	switch {
	case at == root:
		return component.Installer, s.root
	case at.Namespace == root.Namespace:
		return dedicatedTo(from), s.dedicated
	}
	for _, k := range release.Consumers() {
		if k.Target == at {
			return k.Component, s.target
		}
	}
	return "", nil
}

// copies reports whether a secret holds a copy of another's account: those of Cluster API and of machine-config-operator.
func copies(at component.Ref) bool {
	return slices.ContainsFunc(release.Consumers(), func(k release.Consumer) bool { return k.Target == at && k.Component == "" })
}

// dedicatedTo is the component that a secret of kube-system is for, by annotation or by name; "" for none.
func dedicatedTo(s corev1.Secret) component.Name {
	if ns, request, ok := strings.Cut(s.Annotations[requestKey], "/"); ok && ns == release.RequestNamespace {
		if k, known := release.ConsumerNamed(request); known {
			return k.Component
		}
	}
	for _, k := range release.Consumers() {
		if k.Secret == s.Name {
			return k.Component
		}
	}
	return ""
}

// accounts decides which source counts.
func (s *sources) accounts() Accounts {
	out := Accounts{}
	for _, from := range []Accounts{s.dedicated, s.target, s.root, s.hive} {
		for server := range from {
			out[server] = map[component.Name]credfile.Account{}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(out)) {
		s.settle(server, out[server])
	}
	return out
}

// borrowed reports whether an account on a server is that of another source: a component that is opt-in has one of its own only
// where it is nobody else's, because its secret may hold a copy of the main account or of machine-api's.
func (s *sources) borrowed(server string, a credfile.Account) bool {
	for _, from := range []Accounts{s.dedicated, s.target, s.root} {
		for c, other := range from[server] {
			if !c.OptIn() && same(a, other) {
				return true
			}
		}
	}
	return false
}

// settle decides for one server.
func (s *sources) settle(server string, own map[component.Name]credfile.Account) {
	main, hasMain := s.root[server][component.Installer]
	ofHive, inHive := s.hive[server][component.Installer]
	if inHive {
		own[component.Installer] = ofHive
	}
	differs := false
	for _, c := range component.Names() {
		a, ok := s.dedicated[server][c]
		target, inTarget := s.target[server][c]
		switch {
		case !ok && inTarget:
			a, ok = target, true
		case ok && inTarget && !same(a, target):
			s.warn("%s: %s: the secret that it reads now has another account than kube-system, whose account is used", server, c)
		}
		if ok && c.OptIn() && s.borrowed(server, a) {
			continue
		}
		if ok {
			own[c] = a
			differs = differs || !hasMain || !same(a, main)
		}
	}
	if !hasMain {
		return
	}
	machine, hasMachine := own[component.MachineAPI]
	_, given := s.dedicated[server][component.MachineAPI]
	if hasMachine && same(machine, main) && (differs || given) {
		return // the root secret is for those who read it themselves, and holds machine-api's account
	}
	for _, c := range component.Names() {
		_, given := s.dedicated[server][c]
		if a, ok := own[c]; ok && !given && same(a, main) {
			delete(own, c) // a copy that cloud-credential-operator made
		}
	}
	if inHive && !same(ofHive, main) {
		s.warn("%s: Hive has another account than %s, whose account is used", server, root)
	}
	own[component.Installer] = main
}
