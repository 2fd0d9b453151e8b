package plan

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// writeWorkOrder writes the order atomically. It holds no secret and others may read it.
func (o *Options) writeWorkOrder(w *job.Run, p *plan.Plan) error {
	if !o.orders() {
		return nil
	}
	look := func(inv command.Invocation) []string {
		return []string{o.CommandLine("plan", inv, "--exit-code"), o.CommandLine("verify", inv)}
	}
	planned := slices.DeleteFunc(job.PlannedFlags(), func(name string) bool {
		return name == "additive"
	}) // not in the file
	again := workorder.Again{Same: look(o.Said), Adopting: look(o.Said.Without(planned...).With("file", "provisioning.yaml"))}
	order := w.Job.WorkOrder(p, again)
	if o.WorkOrder != "" {
		text, err := order.Markdown()
		if err != nil {
			return err
		}
		if err := o.Over.Public("work-order", o.WorkOrder, text); err != nil {
			return err
		}
		o.placedIn(o.WorkOrder)
	}
	if o.WorkOrderDir == "" {
		return nil
	}
	texts, err := order.Files()
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for name, text := range texts {
		files[filepath.Join(o.WorkOrderDir, name)] = text
	}
	if err := o.Over.PublicAll("work-order-dir", o.WorkOrderDir, files); err != nil {
		return err
	}
	o.placedIn(command.SortedKeys(files)...)
	return nil
}

func (o *Options) orders() bool { return o.WorkOrder != "" || o.WorkOrderDir != "" }

func (o *Options) placedIn(paths ...string) {
	if o.Output == term.FormatTable {
		o.Infof("the work order is in %s", strings.Join(paths, ", "))
	}
}

// writeRequest writes the change request atomically. It holds no secret and others may read it.
func (o *Options) writeRequest(w *job.Run, p *plan.Plan) error {
	if o.Markdown == "" && o.HTML == "" {
		return nil
	}
	from, proof, asks := w.Proof(p)
	own := append([]string{"--digest", p.Digest}, proof...)
	if !asks {
		own = append(own, "--yes")
	}
	if p.Alters() != "" {
		own = append(own, "--displace")
	}
	inv := o.Said
	if o.Save != "" {
		own, inv = append([]string{"--plan", o.Save}, own...), inv.Without(job.SavedFlags()...)
	}
	request := overview.Markdown(p, overview.Request{
		Apply: from + o.CommandLine("apply", inv, own...), Asks: asks,
		Saved: o.Save != "", Undo: o.CommandLine("destroy", o.Said),
		Tool: "ocp-vsphere-admin " + o.Build.Version, Date: time.Now().UTC().Format(time.DateOnly),
	})
	if err := o.placeRequest("markdown", o.Markdown, request); err != nil || o.HTML == "" {
		return err
	}
	page, err := markdown.HTML("vSphere change request: "+p.Cluster, request)
	if err != nil {
		return err
	}
	return o.placeRequest("html", o.HTML, page)
}

func (o *Options) placeRequest(flag, path string, text []byte) error {
	if path == "" {
		return nil
	}
	if err := o.Over.Public(flag, path, text); err != nil {
		return err
	}
	if o.Output == term.FormatTable {
		o.Infof("the change request is in %s", path)
	}
	return nil
}
