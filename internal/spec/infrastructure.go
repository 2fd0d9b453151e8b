package spec

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// What is read of an Infrastructure (openshift/api, config/v1/types_infrastructure.go).
const (
	infrastructureKind  = "Infrastructure"
	infrastructureGroup = "config.openshift.io"
	vspherePlatform     = "VSphere"
)

// Hints to what else has the vCenters and failure domains of a cluster.
const (
	printInfrastructure = "'oc get infrastructure cluster -o yaml' prints it"
	installedConfig     = "'oc get configmap cluster-config-v1 -n kube-system -o yaml' has, under data, the install-config that the cluster was installed " +
		"from: save it, and pass it with --install-config, or write a provisioning file and pass it with -f"
)

// ParseInfrastructure reads the vCenters and failure domains of an Infrastructure, YAML or JSON,
// alone or among other objects, as ParseInstallConfig does those of the cluster's install-config.
// name stands for the path in errors.
func ParseInfrastructure(name string, data []byte) (*Spec, error) {
	return parseInfrastructure(name, data, (*reader).clusterDomains)
}

// ParseInfrastructureServers is ParseInfrastructure without the failure domains.
func ParseInfrastructureServers(name string, data []byte) (*Spec, error) {
	return parseInfrastructure(name, data, func(r *reader, vsphere yamldoc.Object, sources []vcenterSource, _ string) {
		r.domainServers(vsphere, sources)
	})
}

// domainsReader reads the failure domains of platformSpec.vsphere; the last is status.infrastructureName.
type domainsReader func(*reader, yamldoc.Object, []vcenterSource, string)

func parseInfrastructure(name string, data []byte, domains domainsReader) (*Spec, error) {
	o := objects.New(name)
	r := &reader{Reader: o.Reader}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) == nil && len(doc.Content) > 0 {
		root := doc.Content[0]
		if otherKinds[scalarField(root, "kind")] == "" &&
			r.isAnother(root, "an Infrastructure", "infrastructure") {
			return nil, r.Err()
		}
	}
	var s *Spec
	var remedy string
	first, kinds := 0, map[string]bool{}
	o.Each(data, func(from objects.Object) {
		kinds[objects.VisibleKind(from.Kind)] = true
		switch {
		case from.Kind != infrastructureKind:
		case first > 0:
			r.Report(from.Line, "is a second Infrastructure, the first is on line %d: give that of one cluster", first)
			remedy = printInfrastructure
		default:
			first = from.Line
			s, remedy = r.infrastructure(from, domains)
		}
	})
	switch err := r.Err(); {
	case err != nil && first == 0:
		return nil, hint.Wrap(err, printInfrastructure)
	case err != nil && remedy != "":
		return nil, hint.Wrap(err, remedy)
	case err == nil && first == 0:
		only := ""
		if len(kinds) > 0 {
			only = ", only " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		}
		return nil, hint.Errorf(printInfrastructure, "%s contains no Infrastructure%s", name, only)
	default:
		return s.unless(err)
	}
}

// infrastructure reads one. remedy is what helps if something is wrong with it.
func (r *reader) infrastructure(from objects.Object, domains domainsReader) (s *Spec, remedy string) {
	version := from.Text("apiVersion")
	if group, _, _ := strings.Cut(version.Value, "/"); group != infrastructureGroup && !version.Bad {
		r.Report(from.Line, "apiVersion: is not of %s: expected an Infrastructure of OpenShift",
			infrastructureGroup)
		return nil, printInfrastructure
	}
	for _, part := range []string{"spec", "status"} {
		if !from.Has(part) {
			r.missing(from.Where(part))
			return nil, printInfrastructure
		}
	}
	platform := from.Object.Object("spec").Object("platformSpec", "type", "vsphere")
	switch kind := platform.Text("type"); {
	case kind.Bad, platform.Bad:
		return nil, printInfrastructure
	case kind.Value == "":
		r.missing(platform.Where("type"))
		return nil, printInfrastructure
	case kind.Value != vspherePlatform:
		r.At(kind.Place, "this cluster runs on %s, not on vSphere", hint.Quote(kind.Value))
		return nil, ""
	}
	s = blank()
	infra := r.clusterName(s, from.Object.Object("status", "infrastructureName", "apiServerURL"))
	vsphere := platform.Object("vsphere", "vcenters", "failureDomains")
	if items, ok := vsphere.List("vcenters"); ok && len(items) == 0 {
		r.At(platform.Where("vsphere"), "has no vCenter: clusters of releases before 4.13 have none there")
		return nil, installedConfig
	}
	sources := r.configVCenters(vsphere)
	if slices.ContainsFunc(sources, assisted) {
		r.At(sources[0].server.Place, "%v", credfile.ErrNotConnected)
		return nil, credfile.Connects
	}
	domains(r, vsphere, sources, infra)
	s.VCenters = r.vcenters(sources)
	return s, installedConfig
}

// clusterDomains reads failureDomains[]. It ignores a template that openshift-install imported,
// whose name begins with the cluster's.
func (r *reader) clusterDomains(vsphere yamldoc.Object, sources []vcenterSource, infra string) {
	items, ok := vsphere.List("failureDomains")
	if ok && len(items) == 0 {
		r.missing(vsphere.Where("failureDomains"))
	}
	r.placeDomains(vsphere, sources, items, func(o yamldoc.Object) domainSource {
		src := r.topology(o, o.Object("topology", topologyFields...))
		zone := o.Object("zoneAffinity", "type", "hostGroup")
		src.hostGroup = r.hostGroup(zone.Choice("type", "", zoneTypes...),
			zone.Object("hostGroup", "hostGroup").Text("hostGroup"))
		if strings.HasPrefix(path.Base(src.template.Value), infra+"-rhcos-") {
			src.template = yamldoc.Text{Place: src.template.Place}
		}
		return src
	}, "name", "server", "region", "zone", "topology", "zoneAffinity")
}

// clusterName sets the cluster's name, and returns the infrastructure name.
func (r *reader) clusterName(s *Spec, status yamldoc.Object) string {
	infra, api := status.Text("infrastructureName"), status.Text("apiServerURL")
	r.require(infra)
	r.require(api)
	if infra.Value == "" || api.Value == "" {
		return infra.Value
	}
	if s.Cluster = installedAs(infra.Value, api.Value); s.Cluster == "" {
		r.At(api.Place, "does not tell the name of the cluster, which status.infrastructureName shortens")
		return infra.Value
	}
	r.accounts(s, yamldoc.Text{Place: api.Place, Value: s.Cluster}, yamldoc.Text{})
	return infra.Value
}

// installedAs is metadata.name of the cluster's install-config; "" if unknown. The API server is at
// api.<name>.<base domain>, the infrastructure name begins with up to 21 characters of it.
func installedAs(infra, apiServer string) string {
	at, err := url.Parse(apiServer)
	base, random := "", ""
	if i := strings.LastIndex(infra, "-"); i > 0 {
		base, random = infra[:i], infra[i+1:]
	}
	if err != nil || len(random) != infraRandom {
		return ""
	}
	labels, ok := strings.CutPrefix(at.Hostname(), "api.")
	if !ok {
		return ""
	}
	name := ""
	for label := range strings.SplitSeq(labels, ".") {
		if name = strings.TrimPrefix(name+"."+label, "."); infraBase(name) == base {
			return name
		}
	}
	return ""
}

// How openshift-install makes the infrastructure name (openshift/installer, pkg/asset/installconfig/clusterid.go).
const (
	infraMost   = 27 // characters
	infraRandom = 5  // of which the last are random, behind a hyphen
)

var (
	infraOther  = pattern.Of(`[^A-Za-z0-9-]`)
	infraHyphen = pattern.Of(`-{2,}`)
)

// InfrastructureName is openshift-install's: the cluster's, shortened, and five random characters.
func InfrastructureName(cluster, random string) string { return infraBase(cluster) + "-" + random }

// MadeOf reports whether an Infrastructure is that of a cluster: by the address of its API server,
// else by its name, which clusters with a common beginning share.
func MadeOf(infra, apiServer, cluster string) bool {
	if name := installedAs(infra, apiServer); name != "" {
		return strings.EqualFold(name, cluster)
	}
	i := len(infra) - infraRandom - 1
	return strings.EqualFold(infra, cluster) ||
		i > 0 && infra[i] == '-' && strings.EqualFold(infra[:i], infraBase(cluster))
}

// infraBase is what the infrastructure name has of a cluster's name.
func infraBase(name string) string {
	name = infraHyphen().ReplaceAllString(infraOther().ReplaceAllString(name, "-"), "-")
	return strings.TrimRight(name[:min(len(name), infraMost-infraRandom-1)], "-")
}

// holdsInfrastructure reports whether a document is an Infrastructure, or a list beginning with
// one.
func holdsInfrastructure(root *yaml.Node) bool {
	kind := scalarField(root, "kind")
	if strings.HasSuffix(kind, "List") {
		for i := 0; i+1 < len(root.Content); i += 2 {
			if items := root.Content[i+1]; root.Content[i].Value == "items" && len(items.Content) > 0 {
				kind = scalarField(items.Content[0], "kind")
			}
		}
	}
	return kind == infrastructureKind
}

// otherKinds are objects that are taken for what a cluster's vCenters are read from, and what is.
var otherKinds = map[string]string{
	"ConfigMap":             "pass the cluster's Infrastructure with --infrastructure, or with --install-config a file with what its data.install-config holds",
	"AgentConfig":           "pass the install-config.yaml beside it with --install-config",
	"HostedCluster":         "describe the vCenters of its nodes in a provisioning file: ocp-vsphere-admin init",
	"ImageSetConfiguration": "pass an install-config.yaml with --install-config",
	"ClusterDeployment":     "pass the install-config.yaml that its Secret holds with --install-config",
}

// documentOf is what a document is, as far as it is taken for another one, and what to do with it.
func documentOf(root *yaml.Node) (what, way string) {
	kind := scalarField(root, "kind")
	switch {
	case kind == Kind && (topField(root, "vcenters") || scalarField(root, "apiVersion") == APIVersion):
		return "a provisioning file", passWith + "file"
	case topField(root, "platform") && topField(root, "metadata"):
		return "an install-config", passWith + "install-config"
	case holdsInfrastructure(root):
		return "the Infrastructure of a cluster", passWith + "infrastructure"
	case otherKinds[kind] != "":
		return "of kind " + kind, otherKinds[kind]
	}
	return "", ""
}

const passWith = "pass it with --"

// FlagOf is the flag that takes the file at a path: file, install-config or infrastructure; "" =
// none, or it cannot be read.
func FlagOf(path string) string {
	data, err := files.UTF8(files.Read(path, files.Text, files.Regular))
	var doc yaml.Node
	if err != nil || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return ""
	}
	_, way := documentOf(doc.Content[0])
	flag, _ := strings.CutPrefix(way, passWith)
	if flag == way {
		return ""
	}
	return flag
}

// isAnother reports a document that is not the wanted one, which is passed with a flag.
func (r *reader) isAnother(root *yaml.Node, wanted, flag string) bool {
	what, way := documentOf(root)
	if what == "" || way == passWith+flag {
		return false
	}
	r.Report(0, "is %s, not %s: %s", what, wanted, way)
	return true
}

// scalarField is the text of a field of a mapping.
func scalarField(n *yaml.Node, name string) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1].Value
		}
	}
	return ""
}
