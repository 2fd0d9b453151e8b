package openshift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// controllerFile is the key of a secret with the file that CAPV reads its own account from.
const controllerFile = "credentials.yaml"

// The keys of an account in a secret that does not say its vCenter, and in that file.
const flatUser, flatPassword = "username", "password"

// Holding lists the secrets, namespace/name, that hold an account which is meant, on whatever vCenter.
func Holding(secrets []corev1.Secret, meant func(user string) bool) []string {
	return words(holders(secrets, func(_ string, a credfile.Account) bool { return meant(a.User) }))
}

// HoldingOf is Holding for manifests.
func HoldingOf(manifests []Manifest, meant func(user string) bool) []string {
	var secrets []corev1.Secret
	for _, m := range manifests {
		if m.Secret != nil {
			secrets = append(secrets, *m.Secret)
		}
	}
	return Holding(secrets, meant)
}

// Holder is a secret that holds an account for a vCenter.
type Holder struct {
	Secret string // namespace/name
	Server string // "" = the secret does not say it
	User   string
	Kind   HolderKind
}

// HolderKind is what a secret is for, where it changes what has to be done with it.
type HolderKind int

// Kinds of holders.
const (
	HolderRead   HolderKind = iota // by a component or a controller, again and again
	HolderHive                     // by Hive on a hub, to remove the cluster
	HolderCopied                   // by cluster-capi-operator, which made it once and never writes it again
)

func holderKind(s corev1.Secret, server string) HolderKind {
	_, hive := s.Data[hiveKey]
	switch {
	case hive:
		return HolderHive
	case server == "" && Copied(component.At(s.Namespace, s.Name)):
		return HolderCopied
	}
	return HolderRead
}

// HoldersOn names the secrets that hold an account which is meant for one of these vCenters, or for one that they do not say: those
// that somebody resolves to and those that something reads by itself alike. Sorted by secret and vCenter.
func HoldersOn(secrets []corev1.Secret, servers []string, meant func(user string) bool) []Holder {
	var all []Holder
	for _, s := range secrets {
		for _, a := range accounts(s) {
			if meant(a.User) && slices.ContainsFunc(servers, func(server string) bool { return isFor(a.server, server) }) {
				all = append(all, Holder{component.At(s.Namespace, s.Name).String(), a.server, a.User, holderKind(s, a.server)})
			}
		}
	}
	slices.SortFunc(all, func(a, b Holder) int {
		return cmp.Or(strings.Compare(a.Secret, b.Secret), strings.Compare(a.Server, b.Server), strings.Compare(a.User, b.User))
	})
	return slices.Compact(all)
}

// PrintsCluster is the command that prints the secrets of a cluster and what shows which cluster it is and which vCenters it has: what
// secrets prove, they prove of that one. FromCluster is the beginning of a line that reads it.
const (
	PrintsCluster = "oc get secrets,infrastructures -A -o yaml"
	FromCluster   = PrintsCluster + " | "
)

// Serves reports whether any secret has an account for a vCenter that it names.
func Serves(secrets []corev1.Secret, server string) bool {
	return slices.ContainsFunc(Servers(secrets), func(named string) bool { return strings.EqualFold(named, server) })
}

// Servers are the vCenters that secrets name and have accounts for, sorted.
func Servers(secrets []corev1.Secret) []string {
	in := map[string]bool{}
	for _, s := range secrets {
		for _, a := range accounts(s) {
			if a.server != "" {
				in[a.server] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(in))
}

// serverAccount is an account of a secret with the vCenter that it is for; "" = the secret does not say it.
type serverAccount struct {
	server string
	credfile.Account
}

// accounts are those of a secret, whoever reads it.
func accounts(s corev1.Secret) []serverAccount {
	var all []serverAccount
	found := read(s.Data).accounts
	for _, server := range slices.Sorted(maps.Keys(found)) {
		all = append(all, serverAccount{server, found[server]})
	}
	if a, ok := serverless(s); ok {
		all = append(all, serverAccount{"", a})
	}
	ofHive, _ := hiveAccounts(s)
	return append(all, ofHive...)
}

// serverless is the account of a secret that does not say for which vCenter it is: that of a cluster identity of Cluster API, or
// of the controller itself, whose file of both is one key.
func serverless(s corev1.Secret) (credfile.Account, bool) {
	user, hasUser := s.Data[flatUser]
	password, hasPassword := s.Data[flatPassword]
	if hasUser && hasPassword {
		return credfile.Account{User: string(user), Password: secret.New(string(password))}, true
	}
	var file map[string]any
	if yaml.Unmarshal(s.Data[controllerFile], &file) != nil || file[flatUser] == nil || file[flatPassword] == nil {
		return credfile.Account{}, false
	}
	return credfile.Account{User: fmt.Sprint(file[flatUser]), Password: secret.New(fmt.Sprint(file[flatPassword]))}, true
}

// ControllerUser is the user that the secret of CAPV's own account holds for a vCenter: that of its keys, or of the file that is
// mounted; "" = none.
func ControllerUser(s corev1.Secret, server string) string {
	if user := read(s.Data).accounts[server].User; user != "" {
		return user
	}
	var file struct {
		Username string `json:"username"`
	}
	if yaml.Unmarshal(s.Data[controllerFile], &file) != nil {
		return ""
	}
	return file.Username
}

// Without leaves out the secrets that do not say for which vCenter their account is, where it is one of another vCenter.
func Without(secrets []corev1.Secret, elsewhere func(credfile.Account) bool) []corev1.Secret {
	return slices.DeleteFunc(slices.Clone(secrets), func(s corev1.Secret) bool {
		a, ok := serverless(s)
		return ok && elsewhere(a)
	})
}

// isFor reports whether an account is for a vCenter, as far as its secret says so.
func isFor(at, server string) bool { return at == "" || strings.EqualFold(at, server) }

// holders are the secrets that hold an account which is meant, each once, in their order. The server is "" where a secret
// does not say it.
func holders(secrets []corev1.Secret, meant func(server string, a credfile.Account) bool) []component.Ref {
	var all []component.Ref
	for _, s := range secrets {
		if slices.ContainsFunc(accounts(s), func(a serverAccount) bool { return meant(a.server, a.Account) }) {
			all = append(all, component.At(s.Namespace, s.Name))
		}
	}
	return all
}

// words are secrets as namespace/name, sorted.
func words(refs []component.Ref) []string {
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = r.String()
	}
	slices.Sort(names)
	return slices.Compact(names)
}
