package vcsimtests

import (
	"cmp"
	"fmt"
	"strings"
)

// A vCenter is its instance UUID: a walk knows it by the name that it registers, whatever people
// call it. It answers to a second name too, which a provisioning file may give it from some day on.
// The cluster goes on with the name before until somebody delivers accounts under another one that
// open for every consumer; then its Infrastructure gets that name.

// oldDomain is that of the names that the vCenters register, newDomain that of their second names.
const oldDomain, newDomain = ".example.com", ".example.org"

// registered has every vCenter of a text under the name that it registers.
func registered(text string) string { return strings.ReplaceAll(text, newDomain, oldDomain) }

// secondName is the name of a vCenter that it does not register.
func secondName(server string) string { return strings.Replace(server, oldDomain, newDomain, 1) }

// called is the name of a vCenter on this machine.
func (l *life) called(server string) string {
	if second := secondName(server); strings.Contains(l.read(l.spec()), "- server: "+second+"\n") {
		return second
	}
	return server
}

// rename gives the first vCenter its other name, on this machine and in the provisioning file
// alone.
func (l *life) rename() {
	server := l.lab.VCenters[0].Server()
	before, after := l.called(server), secondName(server)
	if before == after {
		after = server
	}
	l.write(l.spec(), strings.Replace(l.read(l.spec()), "- server: "+before+"\n", "- server: "+after+"\n", 1))
}

// follow has the Infrastructure of the cluster call the vCenters as this machine does, where every
// consumer that has an account of one has one under that name, and it opens.
func (l *life) follow() {
	for _, v := range l.lab.VCenters {
		was, name, ready := l.cluster.reads(v.Server()), l.called(v.Server()), true
		for _, k := range consumersOf(l.world) {
			s := l.cluster.secrets[k.secret]
			if s == nil || s.Data[was+".username"] == "" {
				continue
			}
			_, err := v.Directory().CheckPassword(s.Data[name+".username"], s.Data[name+".password"])
			ready = ready && err == nil
		}
		if name != was && ready {
			l.cluster.names[v.Server()] = name
			fmt.Fprintf(&l.log, "# the cluster calls it %s\n", name)
		}
	}
}

// reads is the name under which the cluster looks for the accounts of a vCenter.
func (c *lifeCluster) reads(server string) string { return cmp.Or(c.names[server], server) }
