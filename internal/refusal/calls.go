package refusal

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Calls that a line names by path, or in a component's words for its session.
var (
	taggingPath  = pattern.Of(`(?:\b(GET|POST|PATCH|DELETE)\s+"?\S*)?\btagging/(tag-association|tag|category)\b([^\s"]*)`)
	action       = pattern.Of(`\baction=([a-z-]+)`)
	sessionWords = pattern.Of(`(?i)check(?:ing)? if (?:vim )?session is active|performing (?:SOAP )?session check request`)
)

// called are the words for calls that components use instead of their names.
var called = []struct {
	words func() *regexp.Regexp
	call  string
}{
	{pattern.Of(`(?i)queryAssociatedProfile|PolicyIDByVirtualDisk`), "PbmQueryAssociatedProfile"},
	{pattern.Of(`(?i)\bmark(?:ing)?\b.{0,40}\bas (?:a )?template`), "MarkAsTemplate"},
	{pattern.Of(`(?i)\bcreat(?:e|ing) (?:the |a )?(?:tag )?category`), "category.create"},
	{pattern.Of(`(?i)\bcreat(?:e|ing) (?:the |a )?tag\b`), "tag.create"},
	{pattern.Of(`(?i)\battach(?:ing)? (?:the |a )?tag\b`), "tag_association.attach"},
}

// ofNoDuty are the privileges of calls that no duty makes. Source: the reference of the vSphere
// Storage Policy API, "Required Privileges".
var ofNoDuty = map[string][]string{"PbmQueryAssociatedProfile": {"StorageProfile.View"}}

// cnsWords are a call as the CSI driver's log has it: CNS QueryAllVolume.
var cnsWords = pattern.Of(`\bCNS ([A-Z])`)

// callOf is the call that a line names, in any spelling of a library.
func callOf(line string) string {
	line = cnsWords().ReplaceAllString(line, "Cns$1")
	if m := taggingPath().FindStringSubmatch(line); m != nil {
		if call := taggingCall(m[1], m[2], m[3]); call != "" {
			return call
		}
	}
	if sessionWords().MatchString(line) {
		return "SessionIsActive"
	}
	text := strings.ToLower(line)
	best := ""
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			for _, call := range d.Calls() {
				word := strings.ToLower(strings.TrimSuffix(call, "_Task"))
				if strings.Contains(text, word) && len(call) > len(best) {
					best = call
				}
			}
		}
	}
	for _, c := range called {
		if best == "" && c.words().MatchString(line) {
			best = c.call
		}
	}
	return best
}

// taggingCall is the operation of a request about tags; "" = the line does not tell its method.
func taggingCall(method, noun, rest string) string {
	noun = strings.ReplaceAll(noun, "-", "_") + "."
	if m := action().FindStringSubmatch(rest); m != nil {
		return noun + strings.ReplaceAll(m[1], "-", "_")
	}
	switch method {
	case "":
		return ""
	case "GET":
		if strings.Trim(rest, "/:,") == "" {
			return noun + "list"
		}
		return noun + "get"
	}
	return noun + map[string]string{"POST": "create", "PATCH": "update", "DELETE": "delete"}[method]
}

// cited are the components by files with directories that only their duties cite: loggers write
// these as the place of a line.
var cited = sync.OnceValue(func() map[string]component.Name {
	file, by := regexp.MustCompile(`[\w-]+/[\w-]+\.go\b`), map[string]component.Name{}
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			for _, name := range file.FindAllString(d.Source, -1) {
				if other, ok := by[name]; ok && other != c {
					by[name] = "" // several
				} else {
					by[name] = c
				}
			}
		}
	}
	return by
})

// loggedFrom is a place in a source file, as a logger writes it.
var loggedFrom = pattern.Of(`\b[\w-]+/[\w-]+\.go:[0-9]+`)

// Saying is a message that is no refused privilege, and is often taken for one.
type Saying struct {
	words func() *regexp.Regexp
	Says  string `json:"says"` // as it is known
	Means string `json:"means"`
	Do    string `json:"do"`
}

var sayings = []Saying{
	{
		pattern.Of(`(?i)InvalidLogin|incorrect user name or password|FailedAuthentication`), "InvalidLogin",
		"The name or the password is wrong, or the account is locked, disabled or expired: SSO does not say which.",
		"verify says which of these it is; do not try often, SSO locks accounts. The cloud controller manager logs in once without a name: that one is meant to fail.",
	},
	{
		pattern.Of(`(?i)PasswordExpired|password of the user logging on is expired`), "the password is expired",
		"The account exists and its password has expired.",
		"rotate --in-place sets a new one; then the secrets are applied.",
	},
	{
		pattern.Of(`NotAuthenticated|session is not authenticated`), "NotAuthenticated",
		"The session has ended: it was idle, or its account was disabled or removed.",
		"Components log in again by themselves. If it goes on: secrets explain shows which account they have now.",
	},
	{
		pattern.Of(`UsernameWithoutDomain`), "UsernameWithoutDomain",
		"The user name of a secret is neither user@domain nor DOMAIN\\user: the CSI driver does not start.",
		"Write it with its domain into the credentials file, and emit the secrets.",
	},
	{
		pattern.Of(`(?:Username|Password)WithNewLine`), "UsernameWithNewLine, PasswordWithNewLine",
		"A value of a secret ends with a line break.", "secrets emit writes it without.",
	},
	{
		pattern.Of(`(?i)unknown secret key`), "Unknown secret key",
		"A key of the secret is neither <vCenter>.username nor <vCenter>.password. The cloud controller manager says so once and goes on without the key.",
		"secrets explain names the key.",
	},
	{
		pattern.Of(`InvalidMachineConfiguration`), "InvalidMachineConfiguration",
		"The secret of machine-api has no keys for the vCenter of the machine, or spells it otherwise.",
		"secrets explain --vcenters names what is missing.",
	},
	{
		pattern.Of(`failed to fetch vsphere-creds Secret`), "failed to fetch vsphere-creds Secret",
		"machine-config-operator reads kube-system/vsphere-creds, which is not there.",
		"secrets emit writes it where the provisioning file says secrets.rootSecret: true.",
	},
	{
		pattern.Of(`must be the domain name or IP address of the vCenter`), "must be the domain name or IP address of the vCenter",
		"openshift-install refuses the vCenter's name: it has upper case, a port or a scheme, or is empty.",
		"Write the host name in lower case everywhere; install-config validate names each place.",
	},
	{
		pattern.Of(`:[0-9a-fA-F:]*\.(?:username|password)"?: a valid config key must consist of`), "a valid config key must consist of",
		"The vCenter's name is an IPv6 address, or has a port: no key of a secret can hold it.",
		"Use the vCenter's host name everywhere; plan and apply refuse such a name.",
	},
	{
		pattern.Of(`(?i)ManagedObjectNotFound|has already been deleted or has not been completely created`), "ManagedObjectNotFound",
		"The object is gone, or the account may not see it: without System.View on an object it is not there.",
		"verify names what an account does not see.",
	},
}
