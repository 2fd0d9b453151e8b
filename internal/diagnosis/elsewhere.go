package diagnosis

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// elsewhere tells of accounts of the components in secrets that no request leads to: nobody copies them there, and they hold them when
// the components have others.
func (w *explainer) elsewhere() {
	var names []string
	for _, s := range w.relevant {
		for _, a := range s.Accounts {
			if strings.Contains(a.User, "@") && !slices.Contains(names, a.User) {
				names = append(names, a.User)
			}
		}
	}
	for _, h := range w.Holding(cluster.Meant{Names: names, User: func(user string) bool { return component.OfUser(user) != "" }}) {
		s := w.Object(h.At)
		switch {
		case slices.Contains(w.relevant, s) || w.strayed[s] != component.Ref{}:
		case h.At == openshift.DriverConfig():
			w.driverConfig(s, h)
		case h.Form == cluster.FormText:
			w.add(finding.SecretNote, s, "the name %s stands in it: no command of ours renews it", h.User)
		case h.Form == cluster.FormConf, h.Form == cluster.FormProvider, h.Form == cluster.FormKeys, h.Form == cluster.FormNumbered:
			w.add(finding.SecretNote, s, "holds %s too: nothing of OpenShift copies it there", h.User)
		}
	}
}

// driverConfig compares the configuration of the CSI driver, which is what the driver logs in with, with the secret that its operator
// writes it from.
func (w *explainer) driverConfig(s *cluster.Object, h cluster.Holding) {
	own := openshift.SecretOf(component.CSIDriver)
	from := w.Object(own)
	if from == nil || h.Account.Same(from.Held(h.Server)) || from.Held(h.Server).User == "" {
		return
	}
	f := w.add(finding.SecretStale, s, "%s: the CSI driver logs in as %s, and %s has another account: its operator writes this while it is healthy", h.Server, h.User, own)
	f.About(h.Server, component.CSIDriver).Remedies = []string{"oc get clustercsidriver csi.vsphere.vmware.com -o yaml", "oc get clusteroperator storage -o yaml"}
}
