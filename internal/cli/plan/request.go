package plan

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// registerRequest adds the flag that writes a change request.
func (o *Options) registerRequest(cmd *cobra.Command) {
	command.FileFlag(cmd, &o.Markdown, "markdown", "write the plan as a change request: map, attention, digest and the command that applies it", "md")
}

// writeRequest writes the change request, whole or not at all. Others are to read it, and it holds no secret.
func (o *Options) writeRequest(p *plan.Plan) error {
	if o.Markdown == "" {
		return nil
	}
	own := []string{"--digest", p.Digest, "--yes"}
	if p.Alters() != "" {
		own = append(own, "--displace")
	}
	said := o.Said
	if o.Save != "" {
		own, said = append([]string{"--plan", o.Save}, own...), said.Without(job.SavedFlags()...)
	}
	request := overview.Markdown(p, overview.Request{
		Apply: o.CommandLine("apply", said, own...), Tool: "ocp-vsphere-admin " + o.Build.Version, Date: time.Now().UTC().Format(time.DateOnly),
	})
	if err := o.Over.Public("markdown", o.Markdown, request); err != nil {
		return err
	}
	if o.Output == term.FormatTable {
		o.Infof("the change request is in %s", o.Markdown)
	}
	return nil
}
