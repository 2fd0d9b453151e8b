package command

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// InfrastructureFlag is the flag that names the Infrastructure of a cluster.
const InfrastructureFlag = "infrastructure"

// EditsInfrastructure is how vCenters and failure domains of a running cluster are changed.
const EditsInfrastructure = "oc edit infrastructure cluster"

// ofKubeconfig begins a value of --infrastructure that is a running cluster, and contextSign precedes its context.
const ofKubeconfig, contextSign = "kubeconfig:", "#"

// RegisterInfrastructure adds --infrastructure to cmd. As with [ClusterFlags], a cluster is read where the command line names it.
func RegisterInfrastructure(cmd *cobra.Command, to *string) {
	FileFlag(cmd, to, InfrastructureFlag, "Infrastructure of a cluster to take vCenters and failure domains from, as 'oc get infrastructure cluster "+
		"-o yaml' prints it: a file, - for stdin, or kubeconfig:FILE[#CONTEXT] to read it from the running cluster", "yaml", "yml", "json")
	MarkCommandLineOnly(cmd, InfrastructureFlag)
}

// OfCluster reports whether a value of --infrastructure is a running cluster, and not a file.
func OfCluster(value string) bool { return strings.HasPrefix(value, ofKubeconfig) }

// clusterObject is the Infrastructure of a running cluster.
func clusterObject() kube.Objects {
	return kube.Objects{Kind: kube.Infrastructures, Name: "cluster"}
}

// Infrastructure reads what a value of --infrastructure names: a file, stdin (-), or the running cluster of a kubeconfig file.
func (f *Factory) Infrastructure(ctx context.Context, value string, parse func(string, []byte) (*spec.Spec, error)) (*spec.Spec, error) {
	var from ClusterFlags
	path := value
	if named, of := strings.CutPrefix(value, ofKubeconfig); of {
		path, from.Kubeconfig = "", named
		if i := strings.LastIndex(named, contextSign); i >= 0 {
			from = ClusterFlags{Kubeconfig: named[:i], Context: named[i+len(contextSign):]}
		}
		if from.Kubeconfig == "" {
			return nil, BadFlag(InfrastructureFlag, "%s names no file: write kubeconfig:FILE or kubeconfig:FILE#CONTEXT", value)
		}
		if rest, home := strings.CutPrefix(from.Kubeconfig, "~/"); home && f.Home != "" { // which no shell replaces there
			from.Kubeconfig = filepath.Join(f.Home, rest)
		}
	}
	name, data, err := f.Objects(ctx, path, from, clusterObject())
	if err != nil {
		return nil, BadFlag(InfrastructureFlag, "%w", err)
	}
	return parse(name, AsUTF8(data))
}
