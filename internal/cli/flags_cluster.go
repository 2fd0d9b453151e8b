package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// clusterFlags say which running cluster is read where else a dump of it would be.
type clusterFlags struct {
	Kubeconfig string // --kubeconfig; "" = no cluster is read
	Context    string // --context; "" = the current one of the file
}

const kubeconfigFlag, contextFlag = "kubeconfig", "context"

// Register adds the flags to cmd. dumps are its flags that name dumps of the same objects. Neither KUBECONFIG nor a setting counts:
// a cluster is read where the command line names it.
func (c *clusterFlags) Register(cmd *cobra.Command, dumps ...string) {
	p := cmd.Flags()
	p.StringVar(&c.Kubeconfig, kubeconfigFlag, "", "read from the running cluster of this kubeconfig file; the cluster is not changed")
	p.StringVar(&c.Context, contextFlag, "", "context of --kubeconfig (default: its current one)")
	_ = cmd.MarkFlagFilename(kubeconfigFlag)
	markCommandLineOnly(cmd, kubeconfigFlag, contextFlag)
	for _, dump := range dumps {
		cmd.MarkFlagsMutuallyExclusive(kubeconfigFlag, dump)
		cmd.MarkFlagsMutuallyExclusive(contextFlag, dump)
	}
}

// words name the same cluster again.
func (c *clusterFlags) words() []string {
	var words []string
	for _, w := range []struct{ flag, value string }{{kubeconfigFlag, c.Kubeconfig}, {contextFlag, c.Context}} {
		if w.value != "" {
			words = append(words, "--"+w.flag, w.value)
		}
	}
	return words
}

// given reports whether a cluster is named.
func (c *clusterFlags) given() bool { return c.Kubeconfig != "" || c.Context != "" }

// objects reads a dump of objects: the file at path (- is stdin), else the running cluster, whose URL is the name then. Where
// neither is named, data is nil.
func (f *Factory) objects(ctx context.Context, path string, c clusterFlags, wanted ...kube.Objects) (name string, data []byte, err error) {
	if path != "" {
		return f.readDump(path)
	}
	cluster, err := f.cluster(c)
	if err != nil || cluster == nil {
		return "", nil, err
	}
	data, err = cluster.Dump(ctx, wanted...)
	return cluster.Server(), data, err
}

// cluster is the running cluster that is named; nil where none is.
func (f *Factory) cluster(c clusterFlags) (*kube.Cluster, error) {
	switch {
	case c.Context != "" && c.Kubeconfig == "":
		return nil, hint.Errorf("set --kubeconfig FILE to the file with this context", "--%s requires --%s", contextFlag, kubeconfigFlag)
	case !c.given():
		return nil, nil //nolint:nilnil // none is no error
	}
	cluster, err := kube.Open(c.Kubeconfig, c.Context)
	if err != nil {
		return nil, err
	}
	if cluster.Insecure() {
		f.Warnf("the certificate of %s is not checked (insecure-skip-tls-verify in %s): secrets can be intercepted", cluster.Server(), c.Kubeconfig)
	}
	return cluster, nil
}

// readDump is readText for objects of a cluster.
func (f *Factory) readDump(path string) (name string, data []byte, err error) {
	name, data, err = f.readText(path)
	if _, empty := errors.AsType[*hint.Error](err); empty { // which speaks of files with accounts
		return name, nil, fmt.Errorf("%s is empty", name)
	}
	return name, data, err
}

// secretsFlags say where the secrets of the cluster are: in a dump, or in the cluster.
type secretsFlags struct {
	Dump    string // - for stdin
	Cluster clusterFlags
}

// Register adds the flags to cmd, that of the dump as --secrets; what says what becomes of the secrets, behind a colon.
func (s *secretsFlags) Register(cmd *cobra.Command, what string) { s.registerAs(cmd, "secrets", what) }

// registerAs is Register with another flag for the dump.
func (s *secretsFlags) registerAs(cmd *cobra.Command, flag, what string) {
	cmd.Flags().StringVar(&s.Dump, flag, "", "the cluster's secrets as 'oc get secrets -A -o yaml' prints them (- for stdin)"+what)
	_ = cmd.MarkFlagFilename(flag, "yaml", "yml", "json")
	markCommandLineOnly(cmd, flag)
	s.Cluster.Register(cmd, flag)
}

func allSecrets() kube.Objects { return kube.Objects{Resource: "secrets"} }

// given reports whether secrets are named.
func (s *secretsFlags) given() bool { return s.Dump != "" || s.Cluster.given() }

// words name the same secrets again; flag is that of the dump. A dump that was stdin is used up.
func (s *secretsFlags) words(flag string) []string {
	switch {
	case s.Dump == "-":
		return []string{"--" + flag, aFile}
	case s.Dump != "":
		return []string{"--" + flag, s.Dump}
	}
	return s.Cluster.words()
}

// read gives the secrets; nil where none are named.
func (s *secretsFlags) read(ctx context.Context, f *Factory) ([]corev1.Secret, error) {
	name, data, err := f.objects(ctx, s.Dump, s.Cluster, allSecrets())
	if err != nil || data == nil {
		return nil, err
	}
	return s.parse(name, data)
}

// parse reads the secrets. A cluster that was asked itself may have none; a dump without any was made by mistake.
func (s *secretsFlags) parse(name string, data []byte) ([]corev1.Secret, error) {
	if s.Dump != "" {
		return openshift.SecretsOf(name, data)
	}
	secrets, err := openshift.ParseSecrets(name, data)
	if secrets == nil && err == nil {
		secrets = []corev1.Secret{}
	}
	return secrets, err
}
