package cluster

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// When a cluster is proof that accounts may go
//
// Terms. An account goes when it is removed, disabled or loses rights. One stays when it takes the
// place of one that goes. A reader finds its account in the secrets on its way: its own, that of
// kube-system which is copied there, kube-system/vsphere-creds.
//
// Premise. What a dump does not show is not known. A dump without kube-system, of one project, of
// another cluster or of another platform holds no account of ours, and proves nothing by that.
//
// The proof. It has four parts, and what is not shown is a [Lack]:
//   1. it is this cluster: its platform is vSphere, its Infrastructure has the installer's name for
//      it and names our vCenter; or a secret holds our account for our vCenter, and no Infrastructure
//      names another cluster;
//   2. it shows each namespace in which a component of OpenShift finds its account, and those of the
//      readers of what goes;
//   3. each account that stays is where its readers find it, with its password;
//   4. the name of no account that goes stands in any secret, in any form and spelling.
//
// Examples. The secrets of ten namespaces of a cluster on AWS: part 1 lacks. The cluster's own
// without kube-system: part 2. The new account in kube-system, and in Manual mode the old one beside
// the component: part 3. The CSI driver's cloud.conf, which its operator has not renewed: part 4.

// Question asks whether accounts may go.
type Question struct {
	Cluster string                   // owner of the accounts; "" = several, as on a management cluster
	Of      func(user string) string // the cluster of an account by its user name; "" = none
	Profile string                   // of the specification; "" = the default
	Known   []string                 // all vCenters of the cluster's specification, under each name
	Servers []string                 // those on which accounts go, under each name
	Going   []string                 // name@domain
	Stays   []Stay                   // in their place
	Readers []component.Name         // whose accounts go
	Apart   bool                     // only Hive keeps what goes: it is the installer's
}

// Stay is an account that stays for a component on a vCenter.
type Stay struct {
	Component component.Name
	Servers   []string // the names of the vCenter
	Account   credfile.Account
}

// Missing is a part that a proof lacks.
type Missing int

// The parts.
const (
	LacksIdentity Missing = iota // nothing says which cluster it is
	LacksPlatform                // Words: its platform
	LacksName                    // Words: its Infrastructure's name, or another cluster
	LacksVCenter                 // Words: the vCenters of its Infrastructure
	LacksShown                   // Words: namespaces
	LacksStaying                 // Stay; Held: where it is with another password
	LacksFree                    // Held: accounts that go
)

// Lack is a part of a proof that is missing.
type Lack struct {
	Missing
	Words []string
	Stay  Stay
	Held  []Holding
}

// Proof is what the cluster lacks to be proof; nil = it is.
func (c *Cluster) Proof(q Question) []Lack {
	var all []Lack
	own, inHive := c.owns(q)
	held := c.Holding(Meant{Servers: q.Servers, Names: q.Going})
	if lack := c.identity(q, own || inHive && q.Apart); lack != nil && len(held) == 0 {
		return []Lack{*lack}
	}
	hidden := c.Unshown(c.readFrom(q))
	if inHive && q.Apart {
		hidden = nil
	}
	if len(hidden) > 0 {
		all = append(all, Lack{Missing: LacksShown, Words: hidden})
	}
	for _, s := range q.Stays {
		if held, found := c.finds(s); !found && len(hidden) == 0 {
			all = append(all, Lack{Missing: LacksStaying, Stay: s, Held: held})
		}
	}
	if len(held) > 0 {
		all = append(all, Lack{Missing: LacksFree, Held: held})
	}
	return all
}

// Another is what says that it is another cluster than the one in question; nil = nothing does.
func (c *Cluster) Another(q Question) *Lack {
	own, _ := c.owns(q)
	if lack := c.identity(q, own); lack != nil && lack.Missing != LacksIdentity {
		return lack
	}
	return nil
}

// owns reports whether a secret holds our account for our vCenter, in a cluster or on Hive's hub.
func (c *Cluster) owns(q Question) (cluster, hive bool) {
	ours := Meant{Servers: q.Known, User: func(user string) bool { return strings.EqualFold(q.Of(user), q.Cluster) }}
	for _, h := range c.Holding(ours) {
		cluster = cluster || h.Form != FormHive && h.Server != ""
		hive = hive || h.Form == FormHive
	}
	// our secrets may have been applied to the wrong cluster
	another := c.api != "" && !spec.MadeOf(c.Name, c.api, q.Cluster)
	return cluster && !another, hive
}

// identity is what proof of being the right cluster lacks; nil = nothing. A hub has several.
func (c *Cluster) identity(q Question, own bool) *Lack {
	isKnown := func(server string) bool {
		return slices.ContainsFunc(q.Known, func(known string) bool { return strings.EqualFold(known, server) })
	}
	other := c.Name
	for _, h := range c.Holding(Meant{Servers: q.Known, User: func(user string) bool { return !strings.EqualFold(q.Of(user), q.Cluster) }}) {
		other = cmp.Or(other, q.Of(h.User))
	}
	switch {
	case q.Cluster == "":
	case c.Platform != "" && !strings.EqualFold(c.Platform, "vsphere"):
		return &Lack{Missing: LacksPlatform, Words: []string{c.Platform}}
	case own:
	case other == "":
		return &Lack{Missing: LacksIdentity}
	case c.Name == "" || !spec.MadeOf(c.Name, c.api, q.Cluster):
		return &Lack{Missing: LacksName, Words: []string{other}}
	case c.Topology != nil && !slices.ContainsFunc(c.Servers(), isKnown):
		return &Lack{Missing: LacksVCenter, Words: c.Servers()}
	}
	return nil
}

// readFrom are the namespaces of readers: those of every cluster, and of optional components. On a
// management cluster it is that of Cluster API's controller.
func (c *Cluster) readFrom(q Question) []string {
	switch capi := openshift.SecretOf(component.ClusterAPI).Namespace; {
	case q.Cluster == "" && (c.Shows(capi) || len(q.Stays) > 0):
		return nil
	case q.Cluster == "":
		return []string{ControllerNamespace}
	}
	profile, _ := openshift.FindProfile(q.Profile)
	all := profile.ReadFrom()
	for _, c := range q.Readers {
		if c.OptIn() && c.InCluster() && profile.Has(c) {
			all = append(all, openshift.SecretOf(c).Namespace)
		}
	}
	return all
}

// ControllerNamespace is CAPV's default; in OpenShift it is openshift-cluster-api.
const ControllerNamespace = "capv-system"

// finds reports whether a component's readers find an account and password, else where others.
func (c *Cluster) finds(s Stay) (otherwise []Holding, found bool) {
	for _, h := range c.Holding(Meant{Servers: s.Servers, User: func(user string) bool { return SameAccount(s.Account.User, user) }}) {
		switch {
		case !c.onWay(h, s.Component):
		case h.Password.Equal(s.Account.Password):
			return nil, true
		default:
			otherwise = append(otherwise, h)
		}
	}
	return otherwise, false
}

// onWay reports whether a component's readers may read a secret. Controllers of Cluster API and
// Hive read any; the main account is in the root secret.
func (c *Cluster) onWay(h Holding, of component.Name) bool {
	if h.Form == FormHive || h.Server == "" || of == component.Installer && h.At == root {
		return true
	}
	return slices.ContainsFunc(c.Consumed(), func(q release.Request) bool {
		return q.Component == of && slices.ContainsFunc([]*Object{c.Enhancement(q).From, c.Release(q).From, c.Object(q.SecretRef)},
			func(o *Object) bool {
				return o != nil && o.At() == h.At
			})
	})
}

// Secrets of no form are searched for accounts' names: in files of programs, install-configs,
// base64. A name has to be a word: ocp-c1-csi-driver is not in ocp-c1-csi-driver-2.

// mentions reports whether a value of the secret names an account, name@domain, in any spelling.
func (o *Object) mentions(account string) bool {
	return slices.ContainsFunc(o.texts(),
		func(text string) bool { return mentioned(text, strings.ToLower(account)) })
}

// nested bounds how deep base64 is unpacked, least is the length of a word that may be base64.
const nested, least = 3, 8

// textsOf are the values of a secret and the texts in them that are in base64, in lower case.
func textsOf(data map[string][]byte) (all []string) {
	var add func(text string, depth int)
	add = func(text string, depth int) {
		all = append(all, plain(text))
		if depth == nested {
			return
		}
		for _, word := range words(text) {
			if inside, ok := unpack(word); ok {
				add(inside, depth+1)
			}
		}
	}
	for _, value := range data {
		add(string(value), 0)
	}
	return all
}

// words may be base64; lines of 64 or 76 characters are parts of one.
func words(text string) (all []string) {
	wrapped := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inBase64(r) }) {
		if wrapped {
			all[len(all)-1] += word
		} else {
			all = append(all, word)
		}
		wrapped = len(word) == 64 || len(word) == 76
	}
	return all
}

func mentioned(text, account string) bool {
	name, domain, _ := strings.Cut(account, "@")
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !inName(text[start-1])) && ends(text[end:], domain) {
			return true
		}
		from = end
	}
	return false
}

// plain is a text in lower case, without the escapes of URLs, and of JSON in JSON.
func plain(text string) string {
	text = strings.ToLower(text)
	for escaped, sign := range map[string]string{"%40": "@", "%5c": `\`, `\u0040`: "@", `\u005c`: `\`} {
		text = strings.ReplaceAll(text, escaped, sign)
	}
	return text
}

// ends reports whether a name ends here, and is followed by no other domain than its own.
func ends(rest, domain string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != '@' {
		return !inName(rest[0]) || rest[0] == '.' && (len(rest) == 1 || !inName(rest[1]))
	}
	end := 1
	for end < len(rest) && inName(rest[end]) {
		end++
	}
	return end == 1 || strings.TrimRight(rest[1:end], ".") == domain
}

// inName reports whether a character may be within a name of SSO or a domain.
func inName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' || b >= 0x80
}

func inBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("+/-_=", r)
}

// unpack decodes a word of base64, standard or for URLs; false if it is no text.
func unpack(word string) (string, bool) {
	if word = strings.TrimRight(word, "="); len(word) < least {
		return "", false
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if text, err := encoding.DecodeString(word); err == nil {
			return string(text), utf8.Valid(text) && !bytes.ContainsRune(text, 0)
		}
	}
	return "", false
}
