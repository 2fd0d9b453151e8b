package openshift

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// The keys of the secret of the vSphere CSI driver, which is mounted at driverMount.
const (
	ConfKey     = "csi-vsphere.conf"
	caKey       = "ca.crt"
	driverMount = "/etc/cloud/"
)

// maxClusterID is the driver's bound in bytes (pkg/common/config, validateConfig).
const maxClusterID = 64

// Driver is what the configuration of the vSphere CSI driver of Kubernetes says beside accounts.
type Driver struct {
	ClusterID   string              // "" = the driver makes one and keeps it
	Ports       map[string]int      // by server; 0 = 443
	Datacenters map[string][]string // by server, inventory paths; none = all
	Topology    []string            // categories of tags that all nodes have; nil = none
	CACerts     []byte              // PEM; nil = the roots of its image
	Thumbprints map[string]string   // by server
	Insecure    bool                // certificates are not checked
}

// homes are the secrets in upstream's manifests (kubernetes-sigs/vsphere-csi-driver@bf8090256717,
// manifests/vanilla; kubernetes/cloud-provider-vsphere@60f6c5dfe164, releases/v1.35).
func homes() map[component.Name]component.Ref {
	return map[component.Name]component.Ref{
		component.CSIDriver:       component.At("vmware-system-csi", "vsphere-config-secret"),
		component.CloudController: component.At("kube-system", "vsphere-cloud-secret"),
	}
}

// AtHome is the component that reads a secret in Kubernetes without OpenShift; "" = none.
func AtHome(at component.Ref) component.Name {
	for c, home := range homes() {
		if home == at {
			return c
		}
	}
	return ""
}

func (e EmitOptions) atHome(k release.Consumer) sink {
	at := e.profile().Homes[k.Component]
	return sink{at: at, file: at.Namespace + "-" + at.Name + ".yaml", component: k.Component}
}

// conf is the data of the driver's secret, or why the driver would not start with it.
func (d Driver) conf(servers []string, of func(server string) credfile.Account) (map[string][]byte, error) {
	var errs []error
	var b strings.Builder
	data := map[string][]byte{}
	set := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = %s\n", key, Quoted(value))
		}
	}
	if len(d.ClusterID) > maxClusterID {
		errs = append(errs, fmt.Errorf("cluster %s: the CSI driver accepts at most %d characters", d.ClusterID, maxClusterID))
	}
	if len(servers) > 1 && d.Topology == nil {
		errs = append(errs, hint.Errorf("write region and zone of each failure domain into the provisioning file: 'apply --create-tags' makes their tags",
			"%d vCenters: the CSI driver needs topology categories for more than one", len(servers)))
	}
	b.WriteString("[Global]\n")
	set("cluster-id", d.ClusterID)
	for _, server := range servers {
		a := of(server)
		errs = append(errs, printable(server, a.User), printable(server, a.Password.Reveal()))
		fmt.Fprintf(&b, "\n[VirtualCenter %s]\n", Quoted(server))
		set("user", a.User)
		set("password", a.Password.Reveal())
		if port := d.Ports[server]; port != 0 {
			set("port", fmt.Sprint(port))
		}
		for _, dc := range d.Datacenters[server] {
			if strings.Contains(dc, ",") {
				errs = append(errs, fmt.Errorf("%s: datacenter %s has a comma, at which the CSI driver splits its list: rename it", server, hint.Quote(dc)))
			}
		}
		set("datacenters", strings.Join(d.Datacenters[server], ","))
		switch thumbprint := d.Thumbprints[server]; {
		case d.Insecure:
			set("insecure-flag", "true")
		case thumbprint != "":
			set("thumbprint", thumbprint)
		case d.CACerts != nil:
			set("ca-file", driverMount+caKey)
			data[caKey] = d.CACerts
		}
	}
	if d.Topology != nil {
		b.WriteString("\n[Labels]\n")
		set("topology-categories", strings.Join(d.Topology, ","))
	}
	data[ConfKey] = []byte(b.String())
	return data, errors.Join(errs...)
}

// Quoted is a value as gcfg.v1 reads it, with which the driver reads its file.
func Quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// printable refuses what gcfg.v1 cannot read in quotes.
func printable(server, value string) error {
	if !utf8.ValidString(value) || strings.ContainsAny(value, "\r\n\x00") {
		return fmt.Errorf("%s: an account has a character that the CSI driver's configuration cannot hold", server)
	}
	return nil
}

func (e EmitOptions) ofKubernetes(Accounts) []string {
	if !e.chosen(component.CSIDriver) {
		return nil
	}
	w := []string{"the CSI driver refuses cluster-id where it has made its own: 'kubectl get configmap -n vmware-system-csi " +
		"vsphere-csi-cluster-id' finds nothing where it has not"}
	if d := e.Driver; d.CACerts == nil && len(d.Thumbprints) == 0 && !d.Insecure {
		w = append(w, "the CSI driver trusts only the certificate authorities of its image: for a vCenter with another, add --cacert or --thumbprint")
	}
	return w
}
