package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// What is read of an install-config (openshift/installer, pkg/types/vsphere). The second line of platformFields is deprecated
// since 4.13 and still converted by the installer.
var (
	platformFields = []string{
		"vcenters", "failureDomains",
		"vCenter", "datacenter", "defaultDatastore", "cluster", "network", "folder", "resourcePool",
		"credentialType", // openshift/installer#10895: names the profile
	}
	configVCenterFields = []string{"server", "port"}
	configDomainFields  = []string{"name", "server", "zoneType", "topology"}
	topologyFields      = []string{
		"datacenter", "computeCluster", "datastore", "networks", "folder", "resourcePool", "template", "hostGroup",
	}
	zoneTypes = []string{"ComputeCluster", "HostGroup"}
)

const (
	// generatedDomain is the installer's name for the one failure domain that the flat fields make.
	generatedDomain = "generated-failure-domain"
	// maxConfigPort is the largest port that the installer accepts.
	maxConfigPort = 32767
)

// installConfig reads an install-config.
func (r *reader) installConfig(root *yaml.Node) *Spec {
	o := r.object(root, place{line: 1}, "kind", "metadata", "platform")
	if topField(root, "vcenters") && o.has("kind") {
		r.report(0, "is a provisioning file, not an install-config: pass it with --file")
		return nil
	}
	s := blank()
	name := o.object("metadata", "name").text("name")
	s.Cluster = name.value
	r.accounts(s, name, text{})
	platform := o.object("platform", "vsphere")
	if !platform.has("vsphere") {
		r.report(platform.line, "platform.vsphere is missing: this install-config is not for vSphere")
		return s
	}
	vsphere := platform.object("vsphere", platformFields...)
	if vsphere.text("credentialType").value == ProfileComponentScoped {
		s.Profile = ProfileComponentScoped
	}
	sources := r.configVCenters(vsphere)
	r.configDomains(vsphere, sources)
	s.VCenters = r.vcenters(sources)
	return s
}

// configVCenters reads vcenters[], else the flat vCenter. Users and passwords beside them are not read.
func (r *reader) configVCenters(vsphere object) []vcenterSource {
	nodes, places, ok := vsphere.list("vcenters")
	if len(nodes) == 0 {
		flat := vsphere.text("vCenter")
		if flat.value == "" {
			if ok && !flat.bad {
				r.missing(vsphere.where("vcenters"))
			}
			return nil
		}
		return []vcenterSource{{server: flat, port: DefaultPort, maxPort: maxConfigPort}}
	}
	var sources []vcenterSource
	for i, n := range nodes {
		o := r.object(n, places[i], configVCenterFields...)
		src := vcenterSource{
			server: o.text("server"), port: o.number("port", DefaultPort), portAt: o.where("port"), maxPort: maxConfigPort,
		}
		if src.port == 0 { // as good as left out for the installer
			src.port = DefaultPort
		}
		sources = append(sources, src)
	}
	return sources
}

// configDomains reads failureDomains[] and puts each under its vCenter. Where there is none, the flat fields make one on the
// first vCenter, as in the installer.
func (r *reader) configDomains(vsphere object, sources []vcenterSource) {
	nodes, places, ok := vsphere.list("failureDomains")
	if !ok {
		return
	}
	if len(nodes) == 0 {
		if len(sources) > 0 {
			if flat, ok := r.flatDomain(vsphere); ok {
				sources[0].domains = append(sources[0].domains, flat)
			}
		}
		return
	}
	var servers []string
	at := map[string]int{}
	for i, src := range sources {
		if _, twice := at[src.server.value]; src.server.value != "" && !twice {
			at[src.server.value] = i
			servers = append(servers, src.server.value)
		}
	}
	for i, n := range nodes {
		o := r.object(n, places[i], configDomainFields...)
		src := r.configDomain(o, vsphere)
		server := o.text("server")
		index, known := at[server.value]
		switch {
		case server.bad || len(sources) == 0: // reported
		case known:
		case server.value == "" && !vsphere.has("vcenters"):
			known = true // the flat vCenter, index 0
		case server.value == "":
			r.missing(server.place)
		case strings.Contains(server.value, "@"):
			r.at(server.place, "is not a server of platform.vsphere.vcenters")
		default:
			r.at(server.place, "%s is not a server of platform.vsphere.vcenters%s", quote(server.value), suggest(server.value, servers))
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

func (r *reader) configDomain(o, vsphere object) domainSource {
	t := o.object("topology", topologyFields...)
	src := domainSource{
		name: o.text("name"), datacenter: t.text("datacenter"), computeCluster: t.text("computeCluster"),
		datastore: t.text("datastore"), folder: t.text("folder"), resourcePool: t.text("resourcePool"), template: t.text("template"),
	}
	src.networks = r.networks(t)
	if src.datacenter.value == "" && !src.datacenter.bad && !vsphere.has("vcenters") {
		if flat := vsphere.text("datacenter"); flat.value != "" {
			src.datacenter = flat // 4.12's mixture: zones beside one flat vCenter and datacenter
		}
	}
	group := t.text("hostGroup")
	zone := o.choice("zoneType", "", zoneTypes...)
	src.hostGroup = zone == "HostGroup" || group.value != ""
	if zone == "HostGroup" {
		r.require(group)
	}
	return src
}

// flatDomain is the failure domain of the deprecated fields.
func (r *reader) flatDomain(vsphere object) (domainSource, bool) {
	some := false
	for _, f := range []string{"datacenter", "defaultDatastore", "cluster", "network", "folder", "resourcePool"} {
		some = some || vsphere.has(f)
	}
	if !some {
		r.missing(vsphere.where("failureDomains"))
		return domainSource{}, false
	}
	src := domainSource{
		name: text{value: generatedDomain}, datacenter: vsphere.text("datacenter"), computeCluster: vsphere.text("cluster"),
		datastore: vsphere.text("defaultDatastore"), folder: vsphere.text("folder"), resourcePool: vsphere.text("resourcePool"),
	}
	network := vsphere.text("network")
	r.require(network)
	if network.value != "" {
		src.networks = []text{network}
	}
	return src, true
}
