package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ClusterFlags say which running cluster is read where else a dump of it would be.
type ClusterFlags struct {
	Kubeconfig string // --kubeconfig; "" = no cluster is read
	Context    string // --context; "" = the current one of the file
}

// The names of the flags of a running cluster.
const (
	KubeconfigFlag = "kubeconfig"
	ContextFlag    = "context"
)

// Register adds the flags to cmd. dumps are its flags that name dumps of the same objects. Neither KUBECONFIG nor a setting counts:
// a cluster is read where the command line names it.
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

// Objects reads a dump of objects: the file at path (- is stdin), else the running cluster, whose URL is the name then. Where
// neither is named, data is nil.
func (f *Factory) Objects(ctx context.Context, path string, c ClusterFlags, wanted ...kube.Objects) (name string, data []byte, err error) {
	name, data, _, err = f.objectsFrom(ctx, path, c, wanted...)
	return name, data, err
}

// objectsFrom is Objects with the cluster that was asked; nil = it was a file.
func (f *Factory) objectsFrom(ctx context.Context, path string, c ClusterFlags, wanted ...kube.Objects) (name string, data []byte, from *kube.Cluster, err error) {
	if path != "" {
		name, data, err = f.ReadText(path)
		if _, empty := errors.AsType[*hint.Error](err); empty { // which speaks of files with accounts
			return name, nil, nil, fmt.Errorf("%s is empty", name)
		}
		return name, data, nil, err
	}
	if from, err = f.cluster(c); err != nil || from == nil {
		return "", nil, nil, err
	}
	data, err = from.Dump(ctx, wanted...)
	return from.Server(), data, from, err
}

// ClusterVersionFlag is the flag of a ClusterVersion that somebody has printed.
const ClusterVersionFlag = "cluster-version"

// ClusterVersion reads what a cluster says of its release, from the file at path (- is stdin), else from the running cluster.
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

// cluster is the running cluster that is named; nil where none is.
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

// SecretsFlags say where the secrets of the cluster are: in a dump, or in the cluster.
type SecretsFlags struct {
	Dump    string // - for stdin
	Cluster ClusterFlags
}

// Register adds the flags to cmd, that of the dump as --secrets; what says what becomes of the secrets, behind a colon.
func (s *SecretsFlags) Register(cmd *cobra.Command, what string) { s.RegisterAs(cmd, "secrets", what) }

// RegisterAs is Register with another flag for the dump.
func (s *SecretsFlags) RegisterAs(cmd *cobra.Command, flag, what string) {
	FileFlag(cmd, &s.Dump, flag, "the cluster's secrets, as oc prints them (- for stdin)"+what, "yaml", "yml", "json")
	MarkCommandLineOnly(cmd, flag)
	s.Cluster.Register(cmd, flag)
}

// AllSecrets are the secrets of every namespace.
func AllSecrets() kube.Objects { return kube.Objects{Kind: kube.Secrets} }

// OperatorMode is the object that says in which mode cloud-credential-operator works, for those who can do without.
func OperatorMode() kube.Objects {
	return kube.Objects{Kind: kube.CloudCredentials, Name: "cluster", Maybe: true, Forbidden: true}
}

// Given reports whether secrets are named.
func (s *SecretsFlags) Given() bool { return s.Dump != "" || s.Cluster.Given() }

// Words name the same secrets again; flag is that of the dump. A dump that was stdin is used up.
func (s *SecretsFlags) Words(flag string) []string {
	switch {
	case s.Dump == "-":
		return []string{"--" + flag, FilePlaceholder}
	case s.Dump != "":
		return []string{"--" + flag, s.Dump}
	}
	return s.Cluster.Words()
}

// Read gives the cluster; nil where none is named. What is malformed is an error, and so is a dump without any secret, which was made by
// mistake.
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

// ClusterDump is a cluster with where it was read from: a dump, or its API server.
type ClusterDump struct {
	*cluster.Cluster
	Source string        // the file, or the URL
	Data   []byte        // all that was read
	Faults []error       // values and objects that are malformed; the rest is read all the same
	Asked  *kube.Cluster // nil = it was a file
}

// DumpedObjects is the command that prints all that [Factory.ReadCluster] looks at, and `doctor` beside that.
const DumpedObjects = "oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml"

// ReadCluster reads the secrets of a cluster, what says who reads them, and more; nil where neither path nor c names one. Faults are no
// error.
func (f *Factory) ReadCluster(ctx context.Context, path string, c ClusterFlags, more ...kube.Objects) (*ClusterDump, error) {
	infrastructure := clusterObject()
	infrastructure.Maybe, infrastructure.Forbidden = true, true
	d := &ClusterDump{}
	var err error
	d.Source, d.Data, d.Asked, err = f.objectsFrom(ctx, path, c, append([]kube.Objects{AllSecrets(), OperatorMode(), infrastructure}, more...)...)
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
