package command

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ClusterFlags name the running cluster to read instead of a dump.
type ClusterFlags struct {
	Kubeconfig string // --kubeconfig; "" = no cluster is read
	Context    string // --context; "" = the current one of the file
}

// The names of the flags of a running cluster.
const (
	KubeconfigFlag = "kubeconfig"
	ContextFlag    = "context"
)

// Register adds the flags to cmd. dumps are its flags for dumps of the same objects. KUBECONFIG and
// settings do not count: only the command line names a cluster.
func (c *ClusterFlags) Register(cmd *cobra.Command, dumps ...string) {
	p := cmd.Flags()
	FileFlag(cmd, &c.Kubeconfig, KubeconfigFlag, "read from the cluster of this kubeconfig file")
	p.StringVar(&c.Context, ContextFlag, "", "context of --kubeconfig (default: its current one)")
	MarkCommandLineOnly(cmd, KubeconfigFlag, ContextFlag)
	for _, dump := range dumps {
		cmd.MarkFlagsMutuallyExclusive(KubeconfigFlag, dump)
		cmd.MarkFlagsMutuallyExclusive(ContextFlag, dump)
	}
}

// Words name the same cluster again.
func (c *ClusterFlags) Words() []string {
	var words []string
	for _, w := range []struct{ flag, value string }{{KubeconfigFlag, c.Kubeconfig}, {ContextFlag, c.Context}} {
		if w.value != "" {
			words = append(words, "--"+w.flag, w.value)
		}
	}
	return words
}

// Given reports whether a cluster is named.
func (c *ClusterFlags) Given() bool { return c.Kubeconfig != "" || c.Context != "" }

// Objects reads a dump at path (- is stdin), else the running cluster, else none; name is for
// errors.
func (f *Factory) Objects(ctx context.Context, path string, c ClusterFlags, wanted ...kube.Objects) (name string, data []byte, err error) {
	name, data, _, err = f.objectsFrom(ctx, path, c, wanted...)
	return name, data, err
}

// objectsFrom is Objects with the cluster that was asked; nil = a file.
func (f *Factory) objectsFrom(ctx context.Context, path string, c ClusterFlags,
	wanted ...kube.Objects,
) (name string, data []byte, from *kube.Cluster, err error) {
	if path != "" {
		name, data, err = f.ReadText(path)
		return name, data, nil, err
	}
	if from, err = f.cluster(c); err != nil || from == nil {
		return "", nil, nil, err
	}
	data, err = from.Dump(ctx, wanted...)
	return from.Server(), data, from, err
}

// ClusterVersionFlag is the name of the flag for a file with a ClusterVersion.
const ClusterVersionFlag = "cluster-version"

// ClusterVersion reads a cluster's release from a file (- is stdin), else from the running cluster.
func (f *Factory) ClusterVersion(ctx context.Context, path string, c ClusterFlags) (*release.ClusterVersion, error) {
	name, data, err := f.Objects(ctx, path, c, kube.Objects{Kind: kube.ClusterVersions, Name: "version"})
	if err == nil {
		var cv *release.ClusterVersion
		if cv, err = release.ParseClusterVersion(name, data); err == nil {
			return cv, nil
		}
	}
	if path != "" {
		err = BadFlag(ClusterVersionFlag, "%w", err)
	}
	return nil, err
}

// cluster is the running cluster that is named; nil = none.
func (f *Factory) cluster(c ClusterFlags) (*kube.Cluster, error) {
	switch {
	case c.Context != "" && c.Kubeconfig == "":
		return nil, hint.Errorf("set --kubeconfig FILE to the file with this context", "--%s requires --%s", ContextFlag, KubeconfigFlag)
	case !c.Given():
		return nil, nil //nolint:nilnil // none is no error
	}
	cluster, err := kube.Open(c.Kubeconfig, c.Context)
	if err != nil {
		return nil, err
	}
	cluster.Talk(f.Err)
	if cluster.Insecure() {
		f.Warnf("the certificate of %s is not checked (insecure-skip-tls-verify in %s): secrets can be intercepted", cluster.Server(), c.Kubeconfig)
	}
	return cluster, nil
}

// SecretsFlags name the secrets of a cluster: a dump, or the running cluster.
type SecretsFlags struct {
	Dump    string // - for stdin
	Cluster ClusterFlags
}

// Register adds the flags to cmd, with --secrets for the dump; what ends its usage, behind a colon.
func (s *SecretsFlags) Register(cmd *cobra.Command, what string) { s.RegisterAs(cmd, "secrets", what) }

// RegisterAs is Register with another flag for the dump.
func (s *SecretsFlags) RegisterAs(cmd *cobra.Command, flag, what string) {
	FileFlag(cmd, &s.Dump, flag, "the cluster's secrets, as oc prints them (- for stdin)"+what, "yaml", "yml", "json")
	MarkCommandLineOnly(cmd, flag)
	s.Cluster.Register(cmd, flag)
}

// AllSecrets are the secrets of every namespace.
func AllSecrets() kube.Objects { return kube.Objects{Kind: kube.Secrets} }

// OperatorMode is the object with the mode of cloud-credential-operator, if it may be missing.
func OperatorMode() kube.Objects {
	return kube.Objects{Kind: kube.CloudCredentials, Name: "cluster", Maybe: true, Forbidden: true}
}

// Given reports whether secrets are named.
func (s *SecretsFlags) Given() bool { return s.Dump != "" || s.Cluster.Given() }

// Words name the same secrets again; flag is that of the dump. stdin cannot be read again.
func (s *SecretsFlags) Words(flag string) []string {
	switch {
	case s.Dump == "-":
		return []string{"--" + flag, FilePlaceholder}
	case s.Dump != "":
		return []string{"--" + flag, s.Dump}
	}
	return s.Cluster.Words()
}

// Bad is an error of what they name.
func (s *SecretsFlags) Bad(err error) error {
	if s.Dump == "" {
		return err
	}
	return BadFlag("secrets", "%w", err)
}

// Read reads the cluster; nil = none is named. A malformed dump or one without secrets is an error.
func (s *SecretsFlags) Read(ctx context.Context, f *Factory, more ...kube.Objects) (*ClusterDump, error) {
	d, err := f.ReadCluster(ctx, s.Dump, s.Cluster, more...)
	if err != nil || d == nil {
		return nil, err
	}
	if err := errors.Join(d.Faults...); err != nil || !d.Empty() || d.Asked != nil {
		return d, err
	}
	return d, objects.NoSecret(d.Source, d.Data)
}

// ClusterDump is a cluster and its origin: a dump, or its API server.
type ClusterDump struct {
	*cluster.Cluster
	Source string        // the file, or the URL
	Data   []byte        // all that was read
	Faults []error       // values and objects that are malformed; the rest is read all the same
	Asked  *kube.Cluster // nil = it was a file
}

// DumpedObjects is the command that prints what [Factory.ReadCluster] reads, and `doctor` besides.
const DumpedObjects = "oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml"

// ReadCluster reads a cluster's secrets, their readers, and more; nil = none is named.
func (f *Factory) ReadCluster(ctx context.Context, path string, c ClusterFlags, more ...kube.Objects) (*ClusterDump, error) {
	infrastructure := clusterObject()
	infrastructure.Maybe, infrastructure.Forbidden = true, true
	d := &ClusterDump{}
	var err error
	d.Source, d.Data, d.Asked, err = f.objectsFrom(ctx, path, c,
		append([]kube.Objects{AllSecrets(), OperatorMode(), infrastructure}, more...)...)
	if err != nil || d.Data == nil {
		return nil, err
	}
	if d.Cluster, d.Faults, err = cluster.Read(d.Source, d.Data); err != nil {
		return nil, err
	}
	if d.Misplaced != nil { // it may name vCenters that are in use
		d.Faults = append(d.Faults, hint.Wrap(d.Misplaced, "mend what the Infrastructure says ("+EditsInfrastructure+"): a failure domain goes before its vCenter"))
	}
	d.Whole = c.Given()
	return d, nil
}

// InfrastructureFlag is the flag that names the Infrastructure of a cluster.
const InfrastructureFlag = "infrastructure"

// EditsInfrastructure is the command to edit vCenters and failure domains of a running cluster.
const EditsInfrastructure = "oc edit infrastructure cluster"

// ofKubeconfig begins a value of --infrastructure for a running cluster; contextSign its context.
const ofKubeconfig, contextSign = "kubeconfig:", "#"

// RegisterInfrastructure adds --infrastructure to cmd. No setting names a running cluster.
func RegisterInfrastructure(cmd *cobra.Command, to *string) {
	FileFlag(cmd, to, InfrastructureFlag, "Infrastructure of a cluster to take vCenters and failure domains from, as 'oc get infrastructure cluster "+
		"-o yaml' prints it: a file, - for stdin, or kubeconfig:FILE[#CONTEXT] to read it from the running cluster", "yaml", "yml", "json")
	MarkCommandLineOnly(cmd, InfrastructureFlag)
}

// OfCluster reports whether a value of --infrastructure is a running cluster.
func OfCluster(value string) bool { return strings.HasPrefix(value, ofKubeconfig) }

func clusterObject() kube.Objects {
	return kube.Objects{Kind: kube.Infrastructures, Name: "cluster"}
}

// Infrastructure reads --infrastructure: a file, stdin (-), or the cluster of a kubeconfig file.
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
		if below, home := strings.CutPrefix(from.Kubeconfig, "~/"); home && f.Home != "" { // no shell replaces it
			from.Kubeconfig = filepath.Join(f.Home, below)
		}
	}
	name, data, err := f.Objects(ctx, path, from, clusterObject())
	if err != nil {
		return nil, BadFlag(InfrastructureFlag, "%w", err)
	}
	return parse(name, files.AsUTF8(data))
}
