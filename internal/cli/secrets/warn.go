package secrets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const explainFlag = "explain"

// shortly puts one line in the place of the standing ones among warnings where the secrets are there already, in the cluster or in the
// output directory: whoever put them there was told. Where neither is given nobody knows, and all are said.
func (o *EmitOptions) shortly(warnings, standing []string, manifests []openshift.Manifest, there *command.ClusterDump) []string {
	if o.Explain || len(standing) == 0 || !o.written(manifests, there) {
		return warnings
	}
	var short []string
	for _, w := range warnings {
		if !slices.Contains(standing, w) {
			short = append(short, w)
		}
	}
	return append(short, fmt.Sprintf("%d warnings about these secrets are those of the first time: --%s shows them", len(standing), explainFlag))
}

// written reports whether each of these secrets is in the cluster, or in the output directory.
func (o *EmitOptions) written(manifests []openshift.Manifest, there *command.ClusterDump) bool {
	return !slices.ContainsFunc(manifests, func(m openshift.Manifest) bool {
		inCluster := there != nil && (m.Secret == nil || there.Object(component.At(m.Secret.Namespace, m.Secret.Name)) != nil)
		return !inCluster && (o.OutputDir == "" || command.Missing(o.path(m)))
	})
}

// warnNarrowed says which keys secrets of some of the vCenters lack, where nobody compares them with the cluster's: 'oc apply' takes
// from a secret what its last version had and this one has not.
func (o *EmitOptions) warnNarrowed(file *credfile.File, asked *spec.Spec, from []string, compared bool) {
	all := file.Servers()
	if asked != nil {
		all = command.Servers(asked.Whole())
	}
	var keys []string
	for _, server := range all {
		if !slices.Contains(from, server) {
			keys = append(keys, server+".username", server+".password")
		}
	}
	if !compared && len(o.Source.VCenters) > 0 && len(keys) > 0 {
		o.Warnf("--vcenters: 'oc apply' removes %s from these secrets: without --vcenters they keep them", strings.Join(keys, ", "))
	}
}
