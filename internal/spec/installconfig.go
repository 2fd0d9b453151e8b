package spec

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// What is read of an install-config (openshift/installer, pkg/types/vsphere). The second line of
// platformFields is deprecated since 4.13; the installer still converts it.
var (
	platformFields = []string{
		"vcenters", "failureDomains",
		"vCenter", "datacenter", "defaultDatastore", "cluster", "network", "folder", "resourcePool",
		"credentialType", // openshift/installer#10895: names the profile
	}
	configVCenterFields = []string{"server", "port"}
	configDomainFields  = []string{"name", "server", "region", "zone", "zoneType", "topology"}
	topologyFields      = []string{
		"datacenter", "computeCluster", "datastore", "networks", "folder", "resourcePool", "template", "hostGroup",
	}
	zoneTypes = []string{"ComputeCluster", hostGroupZone}
)

const (
	hostGroupZone = "HostGroup"
	// generatedDomain is the installer's name for the one failure domain that the flat fields make.
	generatedDomain = "generated-failure-domain"
	// maxConfigPort is the largest port that the installer accepts.
	maxConfigPort = 32767
)

func (r *reader) installConfig(root *yaml.Node, domains func(*reader, yamldoc.Object, []vcenterSource)) *Spec {
	r.Strict()
	o := r.Object(root, yamldoc.Place{Line: 1}, "kind", "metadata", "platform")
	if r.isAnother(root, "an install-config", "install-config") {
		return nil
	}
	if openshift.IsMicroShift(root) {
		r.Report(0, "%s", openshift.NotForMicroShift)
		return nil
	}
	s := blank()
	name := o.Object("metadata", "name").Text("name")
	s.Cluster = name.Value
	r.accounts(s, name, yamldoc.Text{})
	platform := o.Object("platform", "vsphere")
	if !o.Has("platform") {
		r.Report(1, "platform is missing: this is no install-config")
		return s
	}
	if !platform.Has("vsphere") {
		r.Report(platform.Line, "platform.vsphere is missing: this install-config is not for vSphere")
		return s
	}
	vsphere := platform.Object("vsphere", platformFields...)
	if vsphere.Text("credentialType").Value == openshift.ProfileComponentScoped {
		s.Profile = openshift.ProfileComponentScoped
	}
	sources := r.configVCenters(vsphere)
	for _, src := range sources {
		r.refuseUpperCase(src.server)
	}
	r.remedy = ": openshift-install needs it to make machines; for a user-provisioned cluster, write " +
		"its places as vcenters[].failureDomains into a provisioning file, and name that with -f"
	domains(r, vsphere, sources)
	s.VCenters = r.vcenters(sources)
	return s
}

// configVCenters reads vcenters[], else the flat vCenter, without users and passwords.
func (r *reader) configVCenters(vsphere yamldoc.Object) []vcenterSource {
	items, ok := vsphere.List("vcenters")
	if len(items) == 0 {
		flat := vsphere.Text("vCenter")
		if flat.Value == "" {
			if ok && !flat.Bad {
				r.missing(vsphere.Where("vcenters"))
			}
			return nil
		}
		return []vcenterSource{{server: flat, port: DefaultPort, maxPort: maxConfigPort}}
	}
	var sources []vcenterSource
	for _, item := range items {
		o := item.Object(configVCenterFields...)
		src := vcenterSource{
			server: o.Text("server"), port: o.Number("port", DefaultPort), portAt: o.Where("port"), maxPort: maxConfigPort,
		}
		if src.port == 0 { // as good as left out for the installer
			src.port = DefaultPort
		}
		sources = append(sources, src)
	}
	if real := slices.DeleteFunc(slices.Clone(sources), assisted); len(real) > 0 {
		return real
	}
	return sources
}

// refuseUpperCase reports a name with which no cluster is installed, before anything is made for it.
func (r *reader) refuseUpperCase(server yamldoc.Text) {
	if upper := openshift.UpperCase(server.Value); upper != "" && checkServer(server.Value) == nil {
		r.At(server.Place, "%s: %s", hint.Quote(server.Value), upper)
	}
}

// assisted reports whether a vCenter is a placeholder of the Assisted Installer.
func assisted(src vcenterSource) bool { return credfile.Assisted(src.server.Value) }

// configDomains reads failureDomains[] into their vCenters. Without any, the flat fields make one
// on the first vCenter, as in the installer.
func (r *reader) configDomains(vsphere yamldoc.Object, sources []vcenterSource) {
	items, ok := vsphere.List("failureDomains")
	if !ok {
		return
	}
	if len(items) == 0 {
		if len(sources) > 0 {
			if flat, ok := r.flatDomain(vsphere); ok {
				sources[0].domains = append(sources[0].domains, flat)
			}
		}
		return
	}
	r.placeDomains(vsphere, sources, items,
		func(o yamldoc.Object) domainSource { return r.configDomain(o, vsphere) }, configDomainFields...)
}

// placeDomains reads failure domains and puts each under the vCenter that it names.
func (r *reader) placeDomains(vsphere yamldoc.Object, sources []vcenterSource, items []yamldoc.Item,
	read func(yamldoc.Object) domainSource, known ...string,
) {
	for _, item := range items {
		o := item.Object(known...)
		src := read(o)
		server := o.Text("server")
		index := indexOf(sources, server.Value)
		known := index >= 0
		switch {
		case credfile.Assisted(server.Value) && !known: // stayed beside a real one
			continue
		case server.Bad || len(sources) == 0: // reported
		case known:
		case server.Value == "" && !vsphere.Has("vcenters"):
			index, known = 0, true // the flat vCenter
		case server.Value == "":
			r.missing(server.Place)
		default:
			r.noServer(server, vsphere, sources)
		}
		if known {
			sources[index].domains = append(sources[index].domains, src)
			continue
		}
		// The file is refused; what else is wrong with this one is said at the same time.
		r.require(src.name)
		r.domain(src)
	}
}

// domainServers checks that the file has each vCenter that a failure domain names, because accounts
// for a missing one would be left out.
func (r *reader) domainServers(vsphere yamldoc.Object, sources []vcenterSource) {
	items, _ := vsphere.List("failureDomains")
	for _, item := range items {
		if server := item.Object("server").Text("server"); server.Value != "" && len(sources) > 0 &&
			indexOf(sources, server.Value) < 0 {
			r.noServer(server, vsphere, sources)
		}
	}
}

// noServer says that a failure domain names a vCenter which is not listed.
func (r *reader) noServer(server yamldoc.Text, vsphere yamldoc.Object, sources []vcenterSource) {
	var servers []string
	for _, src := range sources {
		if src.server.Value != "" {
			servers = lists.AppendNew(servers, src.server.Value)
		}
	}
	r.NotListed(server, "a server", vsphere.Where("vcenters"), servers)
}

// indexOf is the first vCenter of that name; -1 = there is none, or no name.
func indexOf(sources []vcenterSource, server string) int {
	return slices.IndexFunc(sources,
		func(src vcenterSource) bool { return server != "" && src.server.Value == server })
}

func (r *reader) configDomain(o, vsphere yamldoc.Object) domainSource {
	t := o.Object("topology", topologyFields...)
	src := r.topology(o, t)
	if src.datacenter.Value == "" && !src.datacenter.Bad && !vsphere.Has("vcenters") {
		if flat := vsphere.Text("datacenter"); flat.Value != "" {
			src.datacenter = flat // 4.12's mixture: zones beside one flat vCenter and datacenter
		}
	}
	src.hostGroup = r.hostGroup(o.Choice("zoneType", "", zoneTypes...), t.Text("hostGroup"))
	return src
}

// topology reads what an install-config and an Infrastructure say alike of a failure domain.
func (r *reader) topology(o, t yamldoc.Object) domainSource {
	src := domainSource{
		name: o.Text("name"), datacenter: t.Text("datacenter"), computeCluster: t.Text("computeCluster"),
		datastore: t.Text("datastore"), folder: t.Text("folder"), resourcePool: t.Text("resourcePool"), template: t.Text("template"),
		region: o.Text("region"), zone: o.Text("zone"),
	}
	src.networks, _ = t.Texts("networks")
	if at := o.Where("topology"); !o.Has("topology") {
		r.Report(at.Line, "%s is missing%s", at.Path, r.remedy)
		src.datacenter.Bad, src.computeCluster.Bad, src.datastore.Bad = true, true, true
	}
	return src
}

// hostGroup reports whether a zone is a host group, whose name is required then.
func (r *reader) hostGroup(zone string, group yamldoc.Text) bool {
	if zone == hostGroupZone {
		r.require(group)
	}
	return zone == hostGroupZone || group.Value != ""
}

// flatDomain is the failure domain of the deprecated fields.
func (r *reader) flatDomain(vsphere yamldoc.Object) (domainSource, bool) {
	some := false
	for _, f := range []string{"datacenter", "defaultDatastore", "cluster", "network", "folder", "resourcePool"} {
		some = some || vsphere.Has(f)
	}
	if !some {
		at := vsphere.Where("failureDomains")
		r.Report(at.Line, "%s is missing%s", at.Path, r.remedy)
		return domainSource{}, false
	}
	src := domainSource{
		name: yamldoc.Text{Value: generatedDomain}, datacenter: vsphere.Text("datacenter"), computeCluster: vsphere.Text("cluster"),
		datastore: vsphere.Text("defaultDatastore"), folder: vsphere.Text("folder"), resourcePool: vsphere.Text("resourcePool"),
	}
	if network := vsphere.Text("network"); network.Value != "" {
		src.networks = []yamldoc.Text{network}
	}
	return src, true
}
