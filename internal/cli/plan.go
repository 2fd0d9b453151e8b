package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PlanOptions are the words of `plan`.
type PlanOptions struct {
	JobOptions
	ExitCode bool   // --exit-code
	Save     string // --out

	WorkOrder string // --work-order
}

func newCmdPlan(f *Factory, runF func(*PlanOptions) error) *cobra.Command {
	o := &PlanOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Show what apply would change, and nothing else",
		GroupID: groupJob,
		Long: text(`
			Reads every vCenter and prints what is missing (+), different (~) or left over (-), what a change displaces,
			and what to know (i). Nothing is written, on the vCenters or here.`),
		Example: examples(`
			ocp-vsphere-admin plan --install-config install-config.yaml
			ocp-vsphere-admin plan -f provisioning.yaml --exit-code        # 2 when something would change
			ocp-vsphere-admin plan -f provisioning.yaml --out plan.json    # apply --plan plan.json does just this
			ocp-vsphere-admin plan -f provisioning.yaml --work-order order.md   # for the teams that do it themselves`),
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			return run(runF, planRun)(o)
		},
	}
	o.register(cmd)
	o.registerSteering(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 when something would change")
	cmd.Flags().StringVar(&o.Save, "out", "", "save the plan for apply --plan")
	_ = cmd.MarkFlagFilename("out", "json")
	o.registerWorkOrder(cmd)
	return cmd
}

func planRun(o *PlanOptions) error {
	for name, file := range map[string]string{"out": o.Save, "work-order": o.WorkOrder} {
		if file == "-" {
			return badFlag(name, "- is no file, and standard output is for the plan: name one")
		}
	}
	o.ordering = o.WorkOrder != ""
	job, wanted, finish, err := o.begin(false)
	if err != nil {
		return err
	}
	p := job.Plan(o.ctx)
	finish()
	if err := o.render(p); err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		return err
	}
	if !p.Empty() {
		o.supported()
	}
	if err := o.writeWorkOrder(job, p); err != nil {
		return err
	}
	if o.Save != "" {
		if err := savePlan(o.Save, &o.JobOptions, wanted, p); err != nil {
			return err
		}
		o.next("ocp-vsphere-admin apply %s", after("--plan", shellWord(o.Save), o.repeat("apply", append(plannedFlags(), "connect-to")...)))
	} else if !p.Empty() && o.Output == term.FormatTable && o.WorkOrder == "" {
		o.next("ocp-vsphere-admin %s", after("apply", o.repeat("apply")))
	}
	if o.ExitCode && !p.Empty() {
		return exit(ExitDifferent)
	}
	return nil
}

// savedPlan is what apply --plan reads: what was asked, and the digest of what it came to. It holds no password.
type savedPlan struct {
	header
	Digest        string     `json:"digest"`
	Source        string     `json:"source"`              // the flags of verify that say what was planned
	ConnectTo     []string   `json:"connectTo,omitempty"` // those that say where it was reached
	Spec          string     `json:"spec"`                // a provisioning file
	Additive      bool       `json:"additive"`
	CreateFolders bool       `json:"createFolders"`
	Strict        bool       `json:"strict"`
	Plan          *plan.Plan `json:"plan"` // to be read by people
}

const kindSavedPlan = "SavedPlan"

func savePlan(path string, o *JobOptions, wanted *spec.Spec, p *plan.Plan) error {
	data, err := json.MarshalIndent(savedPlan{
		header: newHeader(kindSavedPlan), Digest: p.Digest(), Source: o.source(), ConnectTo: o.Connection.Source.typedAddresses(), Spec: string(wanted.YAML()),
		Additive: o.Additive, CreateFolders: o.CreateFolders, Strict: o.Strict, Plan: p,
	}, "", "  ")
	if err == nil {
		err = writePrivate(path, term.EscapeJSON(append(data, '\n')))
	}
	if err != nil {
		return badFlag("out", "%w", err)
	}
	return nil
}

// plannedFlags decide what is planned, so that apply --plan takes none of them.
func plannedFlags() []string {
	return []string{"file", "install-config", "additive", "create-folders", "strict", "components", "vcenters", "matrix", "conditions", "profile"}
}

// source are those of them that verify has.
func (o *JobOptions) source() string {
	var others []string
	o.cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if !slices.Contains(plannedFlags(), fl.Name) {
			others = append(others, fl.Name)
		}
	})
	return o.repeat("verify", others...)
}

func loadPlan(path string) (*savedPlan, *spec.Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, badFlag("plan", "%w", err)
	}
	var saved savedPlan
	if err := json.Unmarshal(data, &saved); err != nil || saved.Kind != kindSavedPlan || saved.APIVersion != apiVersion {
		return nil, nil, hint.Wrap(badFlag("plan", "%s is not a plan of this version of the tool", path), "plan --out FILE makes one")
	}
	wanted, err := spec.Parse(path, []byte(saved.Spec))
	if err != nil {
		return nil, nil, badFlag("plan", "%w", err)
	}
	return &saved, wanted, nil
}

// errMoved says that the vCenters are no longer as they were planned.
func errMoved(path string) error {
	return hint.Errorf("look at the changes and plan again", "%s: the vCenters have changed since this plan was made, so nothing was done", path)
}

func refused(what string) error { return fmt.Errorf("%s was not confirmed, so nothing was done", what) }
