package overview

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Room is how many bytes a change request of many clusters may have, so that a comment takes it:
// GitHub says "body is too long (maximum is 65536 characters)", and GitLab takes a million.
const Room = 65536

// Many is a change request for many clusters, with the digest over their plans.
func Many(plans []*plan.Plan, digest string, r Request) []byte {
	all, at := plan.New(""), map[string]*plan.VCenter{}
	for _, p := range plans {
		for _, v := range p.VCenters {
			if at[v.Server] == nil {
				at[v.Server] = &plan.VCenter{Server: v.Server}
				all.VCenters = append(all.VCenters, at[v.Server])
			}
			at[v.Server].Changes = append(at[v.Server].Changes, v.Changes...)
		}
		all.Summary = all.Summary.And(p.Summary)
	}
	tells := func(p *plan.Plan) int { return min(p.Summary.Total()+len(p.Unread()), 1) } // 0 = nothing
	slices.SortStableFunc(plans, func(a, b *plan.Plan) int { return tells(b) - tells(a) })
	all.Digest, r.plans = digest, plans
	return Markdown(all, r)
}

// folds are plans below anchors, cluster-NAME, in so many bytes. One without room is a line.
func folds(plans []*plan.Plan, room int) (out string) {
	const rest = "There is no room here for every plan: " +
		"`ocp-vsphere-admin plan -f FILE` prints that of one cluster.\n\n"
	var closed []string
	for _, p := range plans {
		is, _, _ := strings.Cut(strings.TrimPrefix(p.Headline(), "plan: "), "\n")
		// GitLab drops the id and keeps the name.
		line := fmt.Sprintf("<p><a id=\"cluster-%s\" name=\"cluster-%[1]s\"></a>%[1]s: %s</p>\n\n",
			html.EscapeString(term.Line(p.Cluster)), html.EscapeString(is))
		if len(line) > room-len(rest) {
			break
		}
		closed, room = append(closed, line), room-len(line)
	}
	whole := len(closed) == len(plans)
	for i, line := range closed {
		text := strings.Join(Lines(plans[i]), "\n")
		open := strings.NewReplacer("<p>", "<details><summary>", "</p>",
			"</summary>\n\n"+markdown.Fence("text", text)+"\n\n</details>").Replace(line)
		switch more := len(open) - len(line); {
		case text == "":
		case more > room-len(rest):
			whole = false
		default:
			line, room = open, room-more
		}
		out += line
	}
	if !whole {
		out += rest
	}
	return out
}
