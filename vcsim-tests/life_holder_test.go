package vcsimtests

import (
	"fmt"
	"regexp"
	"strings"
)

// holder is a secret that somebody else wrote once with the account of a component, in a form that
// only the program that reads it knows.
type holder struct {
	program string // that logs in with it
	secret  string
	of      string // the component whose account it is
	text    string // with {server}, {name} and {password}
	reads   *regexp.Regexp
}

// holders are the programs of deeds.
var holders = []holder{
	{
		"backup", "backup/settings", "openshift-machine-api/vsphere-cloud-credentials", "log in to {server} as VSPHERE.LOCAL\\{name} with {password} every night\n",
		regexp.MustCompile(`to (?P<server>\S+) as VSPHERE.LOCAL\\(?P<name>\S+) with (?P<password>\S+) every`),
	},
	{
		"the driver's controller", "openshift-cluster-csi-drivers/vsphere-csi-config-secret", "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials",
		"[Global]\ncluster-id = cluster1-x7k2p\n[VirtualCenter \"{server}\"]\npassword = \"{password}\"\nuser = \"{name}@vsphere.local\"\n",
		regexp.MustCompile(`(?s)"(?P<server>\S+)"\]\npassword = "(?P<password>\S+)"\nuser = "(?P<name>\S+)@`),
	},
}

// hold has a program write down the account of the first vCenter that works now. Nobody tells it
// when that changes.
func (l *life) hold(h holder) {
	v := l.lab.VCenters[0]
	s, name := l.cluster.secrets[h.of], l.cluster.reads(v.Server())
	if s == nil || s.Data[name+".username"] == "" {
		return
	}
	user, _, _ := strings.Cut(s.Data[name+".username"], "@")
	own := &clusterSecret{Kind: "Secret", Data: map[string]string{
		"config": strings.NewReplacer("{server}", name, "{name}", user, "{password}", s.Data[name+".password"]).Replace(h.text),
	}}
	own.Metadata.Namespace, own.Metadata.Name, _ = strings.Cut(h.secret, "/")
	l.cluster.secrets[h.secret] = own
}

// held is the account in the secret of a holder; "" = there is none.
func (c *lifeCluster) held(h holder) (server, user, password string) {
	s := c.secrets[h.secret]
	if s == nil {
		return "", "", ""
	}
	m := h.reads.FindStringSubmatch(s.Data["config"])
	part := func(name string) string { return m[h.reads.SubexpIndex(name)] }
	return registered(part("server")), part("name") + "@vsphere.local", part("password")
}

// tell has every program that holds an account write down the one that works now.
func (l *life) tell() {
	for _, h := range holders {
		if l.cluster.secrets[h.secret] != nil {
			l.hold(h)
		}
	}
}

// stillHeld is said of an account that goes while a program holds it.
var stillHeld = regexp.MustCompile(`(?m)(\S+/\S+) still holds | is still in (\S+/\S+)$`)

// informed has the programs write down what works now, whose secrets an output names. It reports
// whether that was something else.
func (l *life) informed() (done bool) {
	for _, m := range stillHeld.FindAllStringSubmatch(l.last.out, -1) {
		for _, h := range holders {
			if h.secret != m[1]+m[2] || l.cluster.secrets[h.secret] == nil {
				continue
			}
			before := l.cluster.secrets[h.secret].Data["config"]
			l.hold(h)
			if l.cluster.secrets[h.secret].Data["config"] != before {
				fmt.Fprintf(&l.log, "# %s has the account that works now\n", h.program)
				done = true
			}
		}
	}
	return done
}
