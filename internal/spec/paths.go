package spec

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// domainSource is a failure domain as a file says it.
type domainSource struct {
	name, datacenter, computeCluster, datastore, folder, resourcePool, template yamldoc.Text
	networks                                                                    []yamldoc.Text
	hostGroup                                                                   bool
	region, zone                                                                yamldoc.Text
}

// domain completes inventory paths as the installer does (openshift/installer,
// pkg/types/vsphere/conversion): a name lies in the datacenter's folder of its kind. It is
// idempotent.
func (r *reader) domain(src domainSource) FailureDomain {
	fd := FailureDomain{Name: src.name.Value, HostGroup: src.hostGroup, Region: src.region.Value, Zone: src.zone.Value}
	r.require(src.datacenter)
	if at := src.computeCluster; at.Value == "" && !at.Bad {
		r.Report(at.Line, "%s is missing%s", at.Path, r.remedy)
	}
	r.require(src.datastore)
	fd.Datacenter = datacenterName(src.datacenter.Value)
	if fd.Datacenter == "" {
		if src.datacenter.Value != "" {
			r.At(src.datacenter.Place, "%s has no datacenter", hint.Quote(src.datacenter.Value))
		}
		return fd // without it no path can be completed
	}
	fd.ComputeCluster = r.under(fd, "host", src.computeCluster)
	fd.Datastore = r.under(fd, "datastore", src.datastore)
	fd.Template = r.under(fd, "vm", src.template)
	if fd.Folder = joinPath(src.folder.Value); fd.Folder != fd.DatacenterPath()+"/vm" {
		fd.Folder = r.under(fd, "vm", src.folder)
	}
	seen := map[string]yamldoc.Text{}
	for _, n := range src.networks {
		if path := r.under(fd, "network", n); path != "" {
			r.unique(seen, n, path, "network "+hint.Quote(path))
			fd.Networks = append(fd.Networks, path)
		}
	}
	fd.ResourcePool = r.pool(fd.ComputeCluster, src.resourcePool)
	return fd
}

// datacenterName is "DC1" for a datacenter below the root folder, else "/folder/DC1".
func datacenterName(value string) string {
	name := strings.TrimPrefix(joinPath(value), "/")
	if strings.Contains(name, "/") {
		return "/" + name
	}
	return name
}

// under completes a path below <datacenter>/<kind>, kind being host, datastore, network or vm.
func (r *reader) under(fd FailureDomain, kind string, t yamldoc.Text) string {
	if t.Value == "" {
		return ""
	}
	path, err := underFolder(fd.DatacenterPath(), kind, t.Value)
	if err != nil {
		r.At(t.Place, "%v", err)
	}
	return path
}

func underFolder(datacenter, kind, value string) (string, error) {
	root := datacenter + "/" + kind
	path := joinPath(value)
	if !strings.HasPrefix(value, "/") {
		if strings.HasPrefix(path+"/", root[1:]+"/") {
			return "", fmt.Errorf("%s begins with the datacenter but not with a slash: write %s",
				hint.Quote(value), hint.Quote("/"+path))
		}
		if path == "" {
			return "", fmt.Errorf("%s is not a name", hint.Quote(value))
		}
		return root + "/" + path, nil
	}
	if strings.HasPrefix(path, root+"/") {
		return path, nil
	}
	if other, _, ok := strings.Cut(path, "/"+kind+"/"); ok && strings.HasSuffix(other, datacenter) {
		return "", fmt.Errorf("%s is not in datacenter %s: write datacenter: %s if it is that one",
			hint.Quote(value), hint.Quote(strings.TrimPrefix(datacenter, "/")), hint.Quote(other))
	}
	return "", fmt.Errorf("%s is not in datacenter %s: it must begin with %s",
		hint.Quote(value), hint.Quote(strings.TrimPrefix(datacenter, "/")), hint.Quote(root+"/"))
}

// pool completes a resource pool below <computeCluster>/Resources; "" is that root pool itself.
func (r *reader) pool(cluster string, t yamldoc.Text) string {
	if t.Value == "" || cluster == "" {
		return ""
	}
	root := cluster + "/Resources"
	path := joinPath(t.Value)
	switch {
	case !strings.HasPrefix(t.Value, "/"):
		// govc and exports of the vSphere Client write "Resources/openshift".
		if path = joinPath("Resources/" + strings.TrimPrefix(path+"/", "Resources/")); path == "Resources" {
			return ""
		}
		return cluster + "/" + path
	case path == root:
		return ""
	case strings.HasPrefix(path, root+"/"):
		return path
	}
	r.At(t.Place, "%s is not in compute cluster %s: it must begin with %s", hint.Quote(t.Value),
		hint.Quote(cluster), hint.Quote(root+"/"))
	return ""
}

// joinPath drops double and trailing slashes. A name holds no slash: vCenter stores %2f.
func joinPath(path string) string {
	var segments []string
	for s := range strings.SplitSeq(path, "/") {
		if s != "" {
			segments = append(segments, s)
		}
	}
	joined := strings.Join(segments, "/")
	if strings.HasPrefix(path, "/") {
		return "/" + joined
	}
	return joined
}
