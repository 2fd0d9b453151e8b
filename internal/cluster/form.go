package cluster

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Form is a shape in which a secret holds accounts.
type Form string

// The forms. Text is every other one: a value in which the name of an account stands.
const (
	FormKeys     Form = "keys"     // <server>.username, <server>.password, as OpenShift reads
	FormNumbered Form = "numbered" // server_1, username_1: the cloud controller manager only
	FormFlat     Form = "flat"     // username, password: Cluster API, or older Hive
	FormCAPV     Form = "capv"     // credentials.yaml with both: the account of CAPV itself
	FormHive     Form = "hive"     // Hive's list of vCenter, username and password
	FormConf     Form = "conf"     // [VirtualCenter "server"] sections: cloud.conf, csi-vsphere.conf
	FormProvider Form = "provider" // url, user, password: Migration Toolkit for Virtualization
	FormText     Form = "text"
)

// next returns the replacement for an account of a server (or ""), zero to remove it; false = keep.
type next func(server string, held credfile.Account) (credfile.Account, bool)

// form reads and writes one. put is nil if the secret's own writer renews it.
type form struct {
	Form
	read func(data map[string][]byte) []serverAccount
	put  func(data map[string][]byte, now next) (changed bool)
}

// serverAccount is an account of a secret with its vCenter; "" = the secret names none.
type serverAccount struct {
	server string
	credfile.Account
}

func forms() []form {
	return []form{
		{FormKeys, func(data map[string][]byte) (all []serverAccount) {
			keys := ReadKeys(data)
			for _, server := range keys.Servers() {
				all = append(all, serverAccount{server, keys.Accounts[server]})
			}
			return all
		}, putKeys},
		{FormNumbered, func(data map[string][]byte) (all []serverAccount) {
			numbered := ReadKeys(data).numbered
			for _, server := range slices.Sorted(maps.Keys(numbered)) {
				all = append(all, serverAccount{server, numbered[server]})
			}
			return all
		}, nil},
		{FormFlat, readFlat, putFlat},
		{FormCAPV, readCAPV, putCAPV},
		{FormHive, func(data map[string][]byte) []serverAccount {
			all, _ := hiveAccounts(data)
			return all
		}, putHive},
		{FormConf, readConf, putConf},
		{FormProvider, readProvider, nil},
	}
}

func account(user, password string) credfile.Account {
	return credfile.Account{User: user, Password: secret.New(password)}
}

// Keys is what the keys of a secret say of accounts by vCenter, whole and broken.
type Keys struct {
	Accounts map[string]credfile.Account // by server; with both keys, whatever is in them
	Half     []string                    // keys whose other half is missing
	Foreign  []string                    // for the cloud controller manager only: username_1 ...
	Unknown  []string                    // other keys
	Left     []string                    // placeholders of the Assisted Installer beside others
	numbered map[string]credfile.Account // by server; those of whole sets of such keys
}

// ReadKeys sorts the keys of a secret.
func ReadKeys(data map[string][]byte) Keys {
	k := Keys{Accounts: map[string]credfile.Account{}, numbered: map[string]credfile.Account{}}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		server, isUser := strings.CutSuffix(key, openshift.UserKey)
		other := server + openshift.PasswordKey
		if !isUser {
			var isPassword bool
			if server, isPassword = strings.CutSuffix(key, openshift.PasswordKey); !isPassword {
				server = ""
			}
			other = server + openshift.UserKey
		}
		_, both := data[other]
		switch {
		case server == "" && isNumbered(key):
			k.Foreign = append(k.Foreign, key)
		case server == "":
			k.Unknown = append(k.Unknown, key)
		case !both:
			k.Half = append(k.Half, key)
		case isUser:
			k.Accounts[server] = account(string(data[key]), string(data[other]))
		}
	}
	for _, key := range k.Foreign {
		id, isServer := strings.CutPrefix(key, "server_")
		user, password := data["username_"+id], data["password_"+id]
		if isServer && user != nil && password != nil {
			k.numbered[string(data[key])] = account(string(user), string(password))
		}
	}
	k.Left = slices.DeleteFunc(k.Servers(), func(server string) bool { return !credfile.Assisted(server) })
	if len(k.Left) == len(k.Accounts) {
		k.Left = nil
	}
	for _, server := range k.Left {
		delete(k.Accounts, server)
	}
	return k
}

// isNumbered reports whether a key is for the cloud controller manager only
// (openshift/cloud-provider-vsphere@a15538776eb2, pkg/common/credentialmanager).
func isNumbered(key string) bool {
	return strings.HasPrefix(key, "server_") || strings.HasPrefix(key, "username_") ||
		strings.HasPrefix(key, "password_")
}

// Servers are those with an account, sorted.
func (k Keys) Servers() []string { return slices.Sorted(maps.Keys(k.Accounts)) }

// Account is a consumer's for a server. The cloud controller manager alone reads numbered keys.
func (k Keys) Account(consumer, server string) (credfile.Account, bool) {
	a, ok := k.Accounts[server]
	if !ok && consumer == string(component.CloudController) {
		a, ok = k.numbered[server]
	}
	return a, ok
}

func putKeys(data map[string][]byte, now next) (changed bool) {
	keys := ReadKeys(data)
	var gone []string
	for _, server := range keys.Servers() {
		switch a, ok := now(server, keys.Accounts[server]); {
		case ok && a.User == "":
			gone = append(gone, server)
		case ok:
			data[server+openshift.UserKey], data[server+openshift.PasswordKey] = []byte(a.User),
				[]byte(a.Password.Reveal())
			changed = true
		}
	}
	if len(gone) == len(keys.Accounts) { // they are all that the secret has
		return changed
	}
	for _, server := range gone {
		delete(data, server+openshift.UserKey)
		delete(data, server+openshift.PasswordKey)
		changed = true
	}
	return changed
}

// The keys of an account in a secret that does not say its vCenter, and in the file of CAPV.
const flatUser, flatPassword = "username", "password"

func readFlat(data map[string][]byte) []serverAccount {
	user, hasUser := data[flatUser]
	password, hasPassword := data[flatPassword]
	if !hasUser || !hasPassword {
		return nil
	}
	return []serverAccount{{"", account(string(user), string(password))}}
}

func putFlat(data map[string][]byte, now next) bool {
	for _, held := range readFlat(data) {
		if a, ok := now("", held.Account); ok && a.User != "" {
			data[flatUser], data[flatPassword] = []byte(a.User), []byte(a.Password.Reveal())
			return true
		}
	}
	return false
}

// controllerFile is the key of a secret with the file that CAPV reads its own account from.
const controllerFile = "credentials.yaml"

func readCAPV(data map[string][]byte) []serverAccount {
	var file map[string]any
	if yaml.Unmarshal(data[controllerFile], &file) != nil || file[flatUser] == nil || file[flatPassword] == nil {
		return nil
	}
	return []serverAccount{{"", account(fmt.Sprint(file[flatUser]), fmt.Sprint(file[flatPassword]))}}
}

func putCAPV(data map[string][]byte, now next) bool {
	held := readCAPV(data)
	if len(held) == 0 {
		return false
	}
	var file map[string]any
	a, ok := now("", held[0].Account)
	if !ok || a.User == "" || yaml.Unmarshal(data[controllerFile], &file) != nil {
		return false
	}
	file[flatUser], file[flatPassword] = a.User, a.Password.Reveal()
	return putYAML(data, controllerFile, file)
}

// hiveAccounts are the accounts that Hive finds in a secret; the error holds no values.
func hiveAccounts(data map[string][]byte) ([]serverAccount, error) {
	list, err := openshift.ReadHive(data)
	var all []serverAccount
	for _, a := range list {
		all = append(all, serverAccount{a.VCenter, account(a.Username, a.Password)})
	}
	return all, err
}

// putHive takes nothing out: Hive removes what is on a vCenter that left.
func putHive(data map[string][]byte, now next) (changed bool) {
	list, _ := openshift.ReadHive(data)
	for i, held := range list {
		if a, ok := now(held.VCenter, account(held.Username, held.Password)); ok && a.User != "" {
			list[i].Username, list[i].Password, changed = a.User, a.Password.Reveal(), true
		}
	}
	if !changed {
		return false
	}
	return putYAML(data, openshift.HiveKey, list)
}

// putYAML writes a value, unless YAML cannot express it (control characters).
func putYAML(data map[string][]byte, key string, value any) bool {
	text, err := yaml.Marshal(value)
	if err == nil {
		data[key] = text
	}
	return err == nil
}

func readProvider(data map[string][]byte) []serverAccount {
	at, err := url.Parse(strings.TrimSpace(string(data["url"])))
	if err != nil || at.Host == "" || data["user"] == nil || data[flatPassword] == nil {
		return nil
	}
	return []serverAccount{{at.Hostname(), account(string(data["user"]), string(data[flatPassword]))}}
}

// ControllerUser is the user of CAPV's own account for a vCenter in its secret; "" = none.
func ControllerUser(data map[string][]byte, server string) string {
	if user := ReadKeys(data).Accounts[server].User; user != "" {
		return user
	}
	var file struct {
		Username string `json:"username"`
	}
	if yaml.Unmarshal(data[controllerFile], &file) != nil {
		return ""
	}
	return file.Username
}
