package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// InUse is what a cluster shows of the accounts that it still needs.
type InUse struct {
	Cluster *ClusterDump       // nil = none is named
	Volumes *openshift.Volumes // nil likewise
	Applied bool               // confirms that it uses none of them
}

// UsedFlags prove by secrets that no cluster uses the accounts to remove, or confirm it.
type UsedFlags struct {
	SecretsFlags
	Applied bool // --applied
}

// Register adds the flags to cmd; what and says are about --secrets and --applied.
func (u *UsedFlags) Register(cmd *cobra.Command, what, says string) {
	u.SecretsFlags.Register(cmd, what)
	cmd.Flags().BoolVar(&u.Applied, "applied", false, says)
	MarkCommandLineOnly(cmd, "applied")
	for _, proof := range []string{"secrets", KubeconfigFlag} {
		cmd.MarkFlagsMutuallyExclusive(proof, "applied")
	}
}

// RegisterInUse is Register for removals that name the cluster's volumes; when is their condition.
func (u *UsedFlags) RegisterInUse(cmd *cobra.Command, when string) {
	u.Register(cmd, ": "+when+"refuse if one of them still holds an account that goes; with 'oc get secrets,pv' the volumes are named as well",
		when+"confirm that no cluster uses what goes; --yes requires this or the secrets (help proof)")
}

// InUse reads what the flags name.
func (u *UsedFlags) InUse(ctx context.Context, f *Factory) (InUse, error) {
	used, err := u.SecretsFlags.InUse(ctx, f)
	used.Applied = u.Applied
	return used, err
}

// InUse reads the cluster with its volumes. Volumes that cannot be read are unknown and no error.
func (s *SecretsFlags) InUse(ctx context.Context, f *Factory) (InUse, error) {
	d, err := s.Read(ctx, f)
	switch {
	case err != nil:
		return InUse{}, s.Bad(err)
	case d == nil:
		return InUse{}, nil
	case d.Asked != nil:
		return InUse{Cluster: d, Volumes: volumesOf(ctx, d.Asked)}, nil
	}
	return InUse{Cluster: d, Volumes: openshift.VolumesIn(d.Source, d.Data)}, nil
}

// IsItThis asks a cluster whether it is that of a specification.
func IsItThis(s *spec.Spec) cluster.Question {
	q := cluster.Question{
		Of: func(user string) string {
			for _, name := range s.ComponentNames() {
				if a := s.Account(name); a.Ours() && a.Generation(user) > 0 {
					return s.Cluster
				}
			}
			return s.ClusterOf(user)
		},
		Profile: s.Profile, Known: Servers(s),
	}
	if s.OfCluster() { // a management cluster has the identities of many
		q.Cluster = s.Cluster
	}
	return q
}

// AnotherThan says why it is not the cluster of a specification, which may be nil; "" = it may be.
func (d *ClusterDump) AnotherThan(s *spec.Spec) string {
	if d == nil || s == nil {
		return ""
	}
	whole := s.Whole()
	lack := d.Another(IsItThis(whole))
	if lack == nil {
		return ""
	}
	is := map[cluster.Missing]string{cluster.LacksPlatform: "it is on", cluster.LacksName: "it is", cluster.LacksVCenter: "its vCenters are"}
	return fmt.Sprintf("%s: nothing says that this is cluster %s: %s %s", d.Source, whole.Cluster, is[lack.Missing], strings.Join(lack.Words, ", "))
}

// Foreign are findings about another cluster than a specification's: that it is so comes first, and
// no command would be about the right one. Those of the right one are as they were.
func (d *ClusterDump) Foreign(s *spec.Spec, found []*finding.Finding) []*finding.Finding {
	another := d.AnotherThan(s)
	if another == "" {
		return found
	}
	for _, f := range found {
		f.Remedies = []string{}
	}
	return append([]*finding.Finding{finding.New(finding.AnotherCluster, "", "%s", another)}, found...)
}

// Sure has a person confirm that accounts of a specification are meant for another cluster.
func (f *Factory) Sure(ctx context.Context, subject string, s *spec.Spec, d *ClusterDump) error {
	another := d.AnotherThan(s)
	switch {
	case another == "":
		return nil
	case f.Yes:
		return hint.Errorf("if it is meant, run this without --yes, and answer its question", "%s; nothing was written", another)
	}
	return f.Agree(ctx, Consent{
		Subject: another + "; " + subject, Question: another + ": is it meant?",
		Confirms: "if it is meant, answer the question on a terminal",
	})
}

// SurePrints has a person confirm that passwords are printed on a terminal; to names another place.
// It warns of a file that other users may read.
func (f *Factory) SurePrints(ctx context.Context, to string) error {
	if f.OutIsShared() {
		f.Warnf("the output holds passwords, and other users may read the file that it goes to: run chmod 600 on it, or write it with %s", to)
	}
	if !f.OutIsTerminal() || f.Yes {
		return nil
	}
	return f.Agree(ctx, Consent{
		Subject:  "printing passwords on a terminal",
		Question: "the output holds passwords: print it on this terminal?",
		Confirms: "redirect the output, write it with " + to + ", or confirm with --yes",
	})
}

func volumesOf(ctx context.Context, cluster *kube.Cluster) *openshift.Volumes {
	data, err := cluster.Dump(ctx, kube.Objects{Kind: kube.PersistentVolumes})
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	names, _, err := openshift.ParseVolumes(cluster.Server(), data) // a cluster may have none
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	return &openshift.Volumes{Names: names}
}

// Guard is a reason for which --yes alone does not confirm a change.
type Guard struct {
	Asks     string // before the question
	Confirms string // the flags that confirm it beside --yes; "" = only an answer does
	Refusal  error  // with --yes alone
}

// Consent is what a person agrees to before a change of vCenters or of a cluster.
type Consent struct {
	Subject  string // of an error: "the removal"
	Question string
	Word     string // the cluster's name, to be typed where yes is not enough; "" = it is
	Guards   []Guard
	Confirms string // what to do where nobody can be asked; "" = --yes
}

// Agree asks, whether --yes is given or not.
func (f *Factory) Agree(ctx context.Context, c Consent) error {
	question, confirms := c.Question, cmp.Or(c.Confirms, "--yes confirms")
	for _, g := range slices.Backward(c.Guards) {
		question = g.Asks + "; " + question
	}
	if len(c.Guards) > 0 && c.Guards[0].Confirms != "" {
		confirms += ", with " + c.Guards[0].Confirms
	}
	var agreed bool
	no := fmt.Errorf("%s was not confirmed; nothing was done", c.Subject)
	var err error
	if c.Word == "" {
		agreed, err = f.Confirm(ctx, question)
	} else {
		var answer string
		answer, err = f.Prompt(ctx, question+", type the cluster's name ("+c.Word+")", "")
		agreed, no = strings.TrimSpace(answer) == c.Word, errors.New("the cluster name does not match; nothing was removed")
	}
	switch {
	case errors.Is(err, term.ErrNoInput):
		return hint.Errorf(confirms, "%s needs confirmation: %w", c.Subject, err)
	case err == nil && !agreed:
		return no
	case ctx.Err() != nil:
		f.Todof("nothing was done")
	}
	return err
}
