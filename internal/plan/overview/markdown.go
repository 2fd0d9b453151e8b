package overview

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// pageWidth is the width of drawings in a page, in columns, independent of the author's terminal.
const pageWidth = 120

// Supported is what OpenShift's documentation says of the accounts that the tool makes.
// Source: OpenShift Container Platform 4.22, Installing on VMware vSphere, 2.1.4.
const Supported = "OpenShift documents one account with all privileges as supported, and accounts with fewer privileges only as reference"

// Request is what a change request says besides its plan.
type Request struct {
	Apply string // the command that applies what was approved
	Asks  bool   // it asks on a terminal
	Saved bool   // that command names the saved plan
	Undo  string // the command that removes what apply made; "" = omitted
	Tool  string // what wrote it, with its version; "" = omitted
	Date  string // when; "" = omitted, as without Tool

	plans []*plan.Plan // of many clusters
}

// Markdown is a plan as a change request: changes, what deserves attention, the digest to approve,
// the command to apply it, and the privileges of the roles. Names in it are never markup.
func Markdown(p *plan.Plan, r Request) []byte {
	var page markdown.Page
	n := namesInFull(p)
	page.WriteString("# vSphere change request")
	if p.Cluster != "" {
		page.WriteString(" for OpenShift cluster " + markdown.Code(p.Cluster))
	}
	page.WriteString("\n\n")
	r.origin(&page)
	if p.Empty() && r.plans == nil {
		page.Say("There is nothing to change.")
	} else {
		page.Say("Nothing has been changed yet. This is what `ocp-vsphere-admin apply` would change.")
		page.Say("## Changes")
	}
	if r.plans == nil && !p.Empty() {
		drawing(&page, func(c *canvas) { over(c, p, n, Options{}) })
	}
	switch a := attentionOf(p, n, false); {
	case r.plans != nil:
		page.WriteString(folds(r.plans, Room*4/5))
	case len(a.items) > 0:
		page.Say("## Attention")
		drawing(&page, a.draw)
	default:
		page.Say("Attention: none.")
	}
	if p.Summary.Create+p.Summary.Update > 0 {
		page.Say("%s.", Supported)
	}
	r.approval(&page, p)
	if notes := notesOf(p); r.Undo != "" && len(notes) > 0 {
		page.Say("## Roll-back")
		page.Block(strings.Join(notes, " "), "bash", []string{r.Undo})
	}
	end := page.Len()
	appendix(&page, p, n)
	if lines := linesOf(func(c *canvas) { drawReasons(c, p, servedBy(p)) }); lines[0] != "" {
		page.Say("## Why each privilege")
		page.Block("", "text", lines)
	}
	text := page.String()
	if r.plans != nil && len(text) > Room {
		text = text[:end] + "There is no room here for the privileges: plan --privileges prints them."
	}
	return []byte(strings.TrimRight(text, "\n") + "\n")
}

// origin says what wrote the page, and when.
func (r Request) origin(page *markdown.Page) {
	if r.Tool != "" {
		page.Say("Written by %s.", strings.TrimSuffix(r.Tool+" on "+r.Date, " on "))
	}
}

func (r Request) approval(page *markdown.Page, p *plan.Plan) {
	switch {
	case p.Empty():
	case p.Digest == "":
		page.Say("## Approval")
		page.Say("This plan has no digest and cannot be approved: not every vCenter could be read.")
	default:
		page.Say("## Approval")
		page.Say("In all: %s. The digest of the changes, the vCenters, the specification and the options is", p.Summary)
		page.Block("", "text", []string{p.Digest})
		promise, asks := "if the vCenters or the specification have changed since", "No terminal is needed."
		if r.Saved {
			promise = "if the vCenters need other changes by then. If the specification has changed since, it warns and applies " +
				"the plan as it was saved"
		}
		if r.Asks {
			asks = "It asks on a terminal about what nothing can prove."
		}
		page.Block("Whoever may apply this plan runs the command below. It refuses to do anything "+promise+". "+asks,
			"bash", []string{r.Apply})
		if text := p.Alters(); text != "" {
			page.Say("The command confirms with `--displace` that %s.", text)
		}
	}
}

// appendix lists the privileges of the roles that are created or updated.
func appendix(page *markdown.Page, p *plan.Plan, n *names) {
	for _, t := range tablesOf(p, Options{Privileges: true}) {
		if t.title != roleTable {
			continue
		}
		lines := linesOf(func(c *canvas) { t.inFull(c, n) })
		if len(lines) > 0 && lines[0] != "" {
			page.Say("## Privileges of the roles")
			page.Block("+ gets, - loses. Every role has System.Anonymous, System.Read and System.View besides.", "text", lines)
		}
	}
}

func (t *table) inFull(c *canvas, n *names) {
	for _, r := range t.rows {
		if r.sign == "-" {
			continue
		}
		line := []string{r.sign, r.name}
		if where := n.where(r.on); len(where) > 0 {
			where[0] = "(" + where[0]
			where[len(where)-1] += ")"
			line = append(line, where...)
		}
		c.fill(0, 4, line...)
		c.fill(4, 4, r.below...)
		if len(r.stay) > 0 {
			c.fill(4, 6, append([]string{"unchanged:"}, r.stay...)...)
		}
		r.drawSwaps(c)
	}
}

func drawing(page *markdown.Page, draw func(*canvas)) { page.Block("", "text", linesOf(draw)) }

// Lines are the map of a plan and its attention as lines for a page.
func Lines(p *plan.Plan) []string {
	return linesOf(func(c *canvas) { draw(c, p, namesOf(p), Options{}) })
}

func linesOf(draw func(*canvas)) []string {
	c := &canvas{width: pageWidth}
	draw(c)
	return strings.Split(strings.TrimRight(c.String(), "\n"), "\n")
}
