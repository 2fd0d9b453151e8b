package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Difference is a cluster's name, vCenter or failure domain in which specifications differ.
type Difference struct {
	Server string // of the vCenter; "" = it is about the cluster, or a failure domain is on several
	Domain string // name of the failure domain; "" = it is about the vCenter or the cluster
	Field  string

	// Values of each specification; "" = nothing, or it lacks the vCenter or failure domain. If one
	// lacks it, they are Present and Absent.
	Values []string
}

// What a specification says of a whole vCenter or failure domain.
const (
	Present = "yes"
	Absent  = "no"
)

// Differences compares the cluster's name, vCenters and failure domains of provisioning file,
// install-config and Infrastructure. It skips failure domains of a missing vCenter.
func Differences(all ...*Spec) []Difference {
	c := comparison{all: all}
	c.compare("", "", "cluster", func(s *Spec) (string, bool) { return s.Cluster, true })
	for _, key := range c.keys(func(s *Spec) (keys []string) {
		for _, vc := range s.VCenters {
			keys = append(keys, serverKey(vc.Server))
		}
		return keys
	}) {
		c.vcenter(key)
	}
	for _, name := range c.keys(func(s *Spec) (keys []string) {
		for _, vc := range s.VCenters {
			for _, fd := range vc.FailureDomains {
				keys = append(keys, fd.Name)
			}
		}
		return keys
	}) {
		c.domain(name)
	}
	return c.found
}

// comparison is Differences under way.
type comparison struct {
	all   []*Spec
	found []Difference
}

// keys are those of all specifications, in the order in which they come.
func (c *comparison) keys(of func(*Spec) []string) (keys []string) {
	for _, s := range c.all {
		keys = lists.AppendNew(keys, of(s)...)
	}
	return keys
}

// compare notes a field that those who have it say differently.
func (c *comparison) compare(server, domain, field string, of func(*Spec) (string, bool)) {
	values := make([]string, len(c.all))
	var distinct []string
	for i, s := range c.all {
		value, has := of(s)
		if values[i] = value; has {
			distinct = lists.AppendNew(distinct, value)
		}
	}
	if len(distinct) > 1 {
		c.found = append(c.found, Difference{server, domain, field, values})
	}
}

// presence notes that some have something and others do not.
func (c *comparison) presence(server, domain, field string, has func(*Spec) bool) {
	c.compare(server, domain, field, func(s *Spec) (string, bool) {
		if has(s) {
			return Present, true
		}
		return Absent, true
	})
}

func (c *comparison) vcenter(key string) {
	server := c.serverOf(key)
	c.presence(server, "", "vcenter", func(s *Spec) bool { return s.find(key) != nil })
	for _, f := range []struct {
		name string
		of   func(*VCenter) string
	}{
		{"server", func(vc *VCenter) string { return vc.Server }}, // as written in secrets
		{"port", func(vc *VCenter) string { return strconv.Itoa(vc.Port) }},
	} {
		c.compare(server, "", f.name, func(s *Spec) (string, bool) {
			if vc := s.find(key); vc != nil {
				return f.of(vc), true
			}
			return "", false
		})
	}
}

func (c *comparison) domain(name string) {
	var servers []string
	for _, s := range c.all {
		if server, fd := s.findDomain(name); fd != nil {
			servers = lists.AppendNew(servers, serverKey(server))
		}
	}
	on := ""
	if len(servers) == 1 {
		on = c.serverOf(servers[0])
	}
	if slices.ContainsFunc(c.all, func(s *Spec) bool { // one that has its vCenter, and not it
		_, fd := s.findDomain(name)
		return fd == nil && slices.ContainsFunc(servers, func(key string) bool { return s.find(key) != nil })
	}) {
		c.presence(on, name, "failureDomain", func(s *Spec) bool {
			_, fd := s.findDomain(name)
			return fd != nil
		})
	}
	for _, f := range domainFields {
		c.compare(on, name, f.name, func(s *Spec) (string, bool) {
			server, fd := s.findDomain(name)
			if fd == nil {
				return "", false
			}
			value := f.of(serverKey(server), fd)
			return value, value != "" || f.name != "region" && f.name != "zone" // a file need not say them
		})
	}
}

// domainFields are what can differ in a failure domain.
var domainFields = []struct {
	name string
	of   func(server string, fd *FailureDomain) string
}{
	{"server", func(server string, _ *FailureDomain) string { return server }},
	{"datacenter", func(_ string, fd *FailureDomain) string { return fd.Datacenter }},
	{"computeCluster", func(_ string, fd *FailureDomain) string { return fd.ComputeCluster }},
	{"datastore", func(_ string, fd *FailureDomain) string { return fd.Datastore }},
	{"networks", func(_ string, fd *FailureDomain) string { return strings.Join(fd.Networks, ", ") }},
	{"folder", func(_ string, fd *FailureDomain) string { return fd.Folder }},
	{"resourcePool", func(_ string, fd *FailureDomain) string { return fd.ResourcePool }},
	{"template", func(_ string, fd *FailureDomain) string { return fd.Template }},
	{"hostGroup", func(_ string, fd *FailureDomain) string {
		return map[bool]string{true: Present, false: Absent}[fd.HostGroup]
	}},
	{"region", func(_ string, fd *FailureDomain) string { return fd.Region }},
	{"zone", func(_ string, fd *FailureDomain) string { return fd.Zone }},
}

// serverOf is how the first that has a vCenter spells it.
func (c *comparison) serverOf(key string) string {
	for _, s := range c.all {
		if vc := s.find(key); vc != nil {
			return vc.Server
		}
	}
	return key
}

// find is a vCenter by the key of its server; nil where there is none.
func (s *Spec) find(key string) *VCenter {
	for i, vc := range s.VCenters {
		if serverKey(vc.Server) == key {
			return &s.VCenters[i]
		}
	}
	return nil
}

// findDomain is a failure domain and the server of its vCenter; nil where there is none.
func (s *Spec) findDomain(name string) (server string, fd *FailureDomain) {
	for _, vc := range s.VCenters {
		for i := range vc.FailureDomains {
			if vc.FailureDomains[i].Name == name {
				return vc.Server, &vc.FailureDomains[i]
			}
		}
	}
	return "", nil
}

// Transition is what a specification and the running cluster do not have both, or say differently.
type Transition struct {
	Coming  []Part       // the specification has them, and the cluster does not, or does not any more
	Staying []Part       // the cluster has them, and the specification does not
	Other   []Difference // what differs; the first value is the specification's
}

// Part is a failure domain, or a whole vCenter where Domain is "".
type Part struct{ Server, Domain string }

// String names the part as a sentence does.
func (p Part) String() string {
	if p.Domain == "" {
		return "vCenter " + p.Server
	}
	return "failure domain " + p.Domain + " of " + p.Server
}

// MostVCenters is how many vCenters an Infrastructure may have (openshift/api,
// config/v1/types_infrastructure.go, VSpherePlatformSpec).
const MostVCenters = 3

// Towards compares the whole specification with a running cluster; another cluster is an error.
func (s *Spec) Towards(cluster *Spec) (t Transition, err error) {
	s = s.Whole()
	if s.Cluster != cluster.Cluster {
		return t, hint.Errorf("give what is about the same cluster",
			"the provisioning file is about cluster %s, and the Infrastructure about %s", s.Cluster,
			cluster.Cluster)
	}
	for _, d := range Differences(s, cluster) {
		part := Part{d.Server, d.Domain}
		switch {
		case d.Field != "vcenter" && d.Field != "failureDomain":
			t.Other = append(t.Other, d)
		case d.Values[0] == Present:
			t.Coming = append(t.Coming, part)
		default:
			t.Staying = append(t.Staying, part)
		}
	}
	return t, nil
}

// Refused reports what the API server refuses in one update to the specification: too many
// vCenters, or adding and removing vCenters at once.
func (t Transition) Refused(s *Spec) (tooMany, both bool) {
	whole := func(parts []Part) bool {
		return slices.ContainsFunc(parts, func(p Part) bool { return p.Domain == "" })
	}
	return len(s.Whole().VCenters) > MostVCenters, whole(t.Coming) && whole(t.Staying)
}
