package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// swap is what those get and lose who hold a role in place of another one: names of roles do not tell, they end with a digest.
type swap struct {
	from        string
	gets, loses []string
}

// swapsOf finds by the new role which ones it comes in the place of. What others gave is theirs: it is in the attention part.
func swapsOf(v *plan.VCenter) map[string][]swap {
	all := map[string][]swap{}
	for _, c := range v.Changes {
		before, had := c.Before.(plan.PermissionState)
		after, has := c.After.(plan.PermissionState)
		if !had || !has || c.Displaces || before.Role == after.Role || len(c.Gains)+len(c.Loses) == 0 {
			continue
		}
		s := swap{before.Role, c.Gains, c.Loses}
		if !slices.ContainsFunc(all[after.Role], func(other swap) bool { return other.key() == s.key() }) {
			all[after.Role] = append(all[after.Role], s)
		}
	}
	return all
}

func (s swap) key() string {
	return s.from + "\x00" + strings.Join(s.gets, "\x01") + "\x00" + strings.Join(s.loses, "\x01")
}

func keyOf(swaps []swap) string {
	var key strings.Builder
	for _, s := range swaps {
		key.WriteString("\x00" + s.key())
	}
	return key.String()
}

// ids are those that come and go, each as a word.
func (s swap) ids() []string {
	var all []string
	for _, id := range s.gets {
		all = append(all, "+"+term.Line(id))
	}
	for _, id := range s.loses {
		all = append(all, "-"+term.Line(id))
	}
	return all
}

func (s swap) tally() string {
	return fmt.Sprintf("+%d -%d privileges", len(s.gets), len(s.loses))
}

// few are the ids of a row that are shown on a line of their own where there is no room beside it.
func (r *row) few() []string {
	if len(r.ids) > fewIDs {
		return nil
	}
	return r.ids
}

// drawSwaps says below a role what it changes for those who had another one: the ids where they are few or fit the line.
func (r *row) drawSwaps(c *canvas) {
	for _, s := range r.swaps {
		line := append(words("instead of"), label(s.from)+":")
		ids := s.ids()
		if !r.all && len(ids) > fewIDs && !c.fits(4+term.Width(strings.Join(append(slices.Clone(line), ids...), " "))) {
			ids = words(s.tally())
		}
		c.fill(4, 6, append(line, ids...)...)
	}
}

// mostNamed is how many lost privileges are named in the attention part.
const mostNamed = 12

// losing says who has fewer privileges on an object than before. Of accounts that go as a whole it is not said.
func (a *attention) losing(p *plan.Plan) {
	goes := map[string]bool{}
	for _, c := range p.Changes() {
		if c.Kind == plan.User && c.Verb == plan.Delete {
			goes[strings.ToLower(c.Name)] = true
		}
	}
	for i, v := range p.VCenters {
		for _, c := range v.Changes {
			if len(c.Loses) > 0 && (c.Group || !goes[strings.ToLower(c.Principal)]) {
				a.about(think, loss(c), i, c)
			}
			before, _ := c.Before.(plan.PermissionState)
			if after, stays := c.After.(plan.PermissionState); stays && before.Propagate && !after.Propagate {
				a.about(think, "loses its permission ("+label(before.Role)+") below it", i, c)
			}
		}
	}
}

func loss(c *plan.Change) string {
	before, _ := c.Before.(plan.PermissionState)
	if c.Verb == plan.Delete && slices.Contains(c.Loses, "System.View") {
		return "loses its permission (" + label(before.Role) + ") and no longer sees it"
	}
	if len(c.Loses) > mostNamed {
		return "loses " + term.Count(len(c.Loses), "privilege") + " of role " + label(before.Role)
	}
	return "loses " + strings.Join(lines(c.Loses), ", ")
}
