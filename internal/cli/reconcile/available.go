package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/oc"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// availableFlags make the cluster's available updates the releases, and say how to extract them.
type availableFlags struct {
	All            bool   // --available-updates
	ClusterVersion string // --cluster-version, - for stdin; "" = that of the running cluster
	OC             string // --oc; "" = the one on PATH
	RegistryConfig string // --registry-config; "" = oc finds it
}

// availableFlag is the flag that lets the tool run oc.
const availableFlag = "available-updates"

func (a *availableFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&a.All, availableFlag, false, "prepare for all available updates, with oc")
	flags.StringVar(&a.ClusterVersion, command.ClusterVersionFlag, "",
		"with --available-updates: the ClusterVersion (- for stdin)")
	flags.StringVar(&a.OC, "oc", "", "with --available-updates: path of oc (default: the oc on PATH)")
	flags.StringVar(&a.RegistryConfig, "registry-config", "",
		"with --available-updates: file with the pull secret")
	for _, name := range []string{"oc", "registry-config"} {
		_ = cmd.MarkFlagFilename(name)
	}
	_ = cmd.MarkFlagFilename(command.ClusterVersionFlag, "yaml", "yml", "json")
	command.MarkCommandLineOnly(cmd, availableFlag, command.ClusterVersionFlag, "oc", "registry-config")
	for _, other := range []string{"to", "requests", "release", "image"} {
		cmd.MarkFlagsMutuallyExclusive(availableFlag, other)
	}
}

func (a *availableFlags) check(r *releaseFlags) error {
	if !a.All {
		for _, f := range []struct{ name, value string }{{command.ClusterVersionFlag, a.ClusterVersion}, {"oc", a.OC}, {"registry-config", a.RegistryConfig}} {
			if f.value != "" {
				return command.BadFlag(f.name, "--%s is required", availableFlag)
			}
		}
		return nil
	}
	if a.ClusterVersion == "" && !r.Cluster.Given() {
		return hint.Errorf("'oc get clusterversion version -o yaml' prints the updates for --cluster-version", "--%s requires --kubeconfig FILE or --cluster-version FILE", availableFlag)
	}
	return nil
}

func (a *availableFlags) words() []string {
	if !a.All {
		return nil
	}
	words := []string{"--" + availableFlag}
	for _, f := range []struct{ flag, value string }{{"--cluster-version", a.ClusterVersion}, {"--oc", a.OC}, {"--registry-config", a.RegistryConfig}} {
		switch f.value {
		case "":
		case "-":
			words = append(words, f.flag, command.FilePlaceholder)
		default:
			words = append(words, f.flag, f.value)
		}
	}
	return words
}

type failedUpdate struct {
	release.Ref
	err error
}

func (c *compared) failure() error {
	var errs []error
	for _, u := range c.failed {
		errs = append(errs, fmt.Errorf("%s is not prepared: its CredentialsRequests could not be extracted: %w", u.Version, u.err))
	}
	return errors.Join(errs...)
}

// partly adds the updates that are not prepared to the outcome of a run, which is partial then.
func (c *compared) partly(err error) error {
	failed := c.failure()
	var coded *command.ExitError
	if failed != nil && (err == nil || errors.As(err, &coded) && coded.Code == command.ExitDifferent) {
		return command.Joined(command.Partly(true, failed), err)
	}
	return command.Joined(err, failed)
}

// available extracts the requests of the available updates, and of the running release if neither a
// directory nor the cluster has them. No update = no releases. A failure stops no other extraction.
func (r *releaseFlags) available(ctx context.Context, f *command.Factory) (*compared, error) {
	client, err := oc.Find(r.Updates.OC, r.Updates.RegistryConfig)
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("--%s: %w", availableFlag, err), "--oc PATH names the oc to run, --registry-config FILE its pull secret; with requests that were extracted elsewhere, use --to DIR for each update")
	}
	cv, err := f.ClusterVersion(ctx, r.Updates.ClusterVersion, r.Cluster)
	if err != nil {
		return nil, err
	}
	updates := slices.SortedFunc(slices.Values(cv.Available()), release.Ref.Compare)
	if err := r.updatesKnown(f, cv, updates); err != nil || len(updates) == 0 {
		return &compared{}, err
	}
	c := &compared{image: cv.Image}
	extracted := updates
	switch {
	case r.From != "":
		c.from, err = r.directory("from", r.From)
	case r.Cluster.Given():
		c.from, err = r.running(ctx, f)
	case cv.Image == "":
		err = hint.Errorf("add --from DIR: the CredentialsRequests of the running release",
			"the ClusterVersion does not say from which image the running release is")
	default:
		extracted = append(slices.Clone(updates), release.Ref{Version: cv.Version, Image: cv.Image})
	}
	if err != nil {
		return nil, err
	}
	requests, failed := r.extract(ctx, f, client, extracted)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.from == nil {
		if c.from = requests[len(updates)]; c.from == nil {
			return nil, fmt.Errorf("the running release, %s: its CredentialsRequests could not be extracted: %w", cv.Version, failed[len(updates)])
		}
	}
	for i, u := range updates {
		if requests[i] != nil {
			c.next = append(c.next, &next{Ref: u, to: requests[i]})
		} else {
			c.failed = append(c.failed, failedUpdate{u, failed[i]})
		}
	}
	if len(c.next) == 0 {
		return nil, c.failure()
	}
	for _, u := range c.failed { // before the question about the others
		f.Warnf("%s is not prepared: its CredentialsRequests could not be extracted: %v", u.Version, u.err)
	}
	return c, nil
}

// updatesKnown prints more about the updates. None is no error, unless the cluster cannot tell.
func (r *releaseFlags) updatesKnown(f *command.Factory, cv *release.ClusterVersion, updates []release.Ref) error {
	if c := cv.Retrieved; c != nil && c.Status != release.True {
		why := cmp.Or(c.Reason, "no reason given")
		if len(updates) == 0 {
			return hint.Errorf("'oc adm upgrade' says why, and 'oc adm upgrade channel CHANNEL' sets a channel", "the cluster could not retrieve its updates (%s): which ones are available is not known, and nothing was done", why)
		}
		f.Warnf("the cluster could not retrieve its updates (%s); these may be out of date", why)
	}
	var conditional []string
	for _, u := range cv.Updates {
		if u.Conditional {
			conditional = append(conditional, u.Version)
		}
	}
	if len(conditional) > 0 {
		f.Infof("not recommended for this cluster, and not prepared: %s; 'reconcile status' says why, and --to prepares for one", strings.Join(conditional, ", "))
	}
	if len(updates) == 0 {
		f.Infof("no update of %s is available: nothing was done", cv.Running())
	}
	return nil
}

// atOnce is how many images are read in parallel: they come from one registry.
const atOnce = 4

// extract gives the requests of each release, or its error. It leaves nothing on disk.
func (r *releaseFlags) extract(ctx context.Context, f *command.Factory, client *oc.Client,
	releases []release.Ref,
) (requests []*release.Requests, failed []error) {
	requests, failed = make([]*release.Requests, len(releases)), make([]error, len(releases))
	var versions []string
	for _, one := range releases {
		versions = append(versions, one.Version)
	}
	f.Infof("extracting the CredentialsRequests of %s", strings.Join(versions, ", "))
	var all crash.Group
	all.Limit(atOnce)
	for i, one := range releases {
		all.Go(func() { requests[i], failed[i] = r.extractOne(ctx, client, one) })
	}
	all.Wait()
	return requests, failed
}

func (r *releaseFlags) extractOne(ctx context.Context, client *oc.Client, one release.Ref) (requests *release.Requests, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", command.Program+"-"+one.Version+"-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if remaining := os.RemoveAll(dir); err == nil {
			err = remaining
		}
	}()
	if err := client.Extract(ctx, one.Image, dir); err != nil {
		return nil, err
	}
	return release.ReadRequestsAs(one.Version, dir, r.Preview)
}
