package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// Switch is a consumer that would work with another account than before, with none, or on another vCenter.
type Switch struct {
	Consumer string               `json:"consumer"`
	Server   string               `json:"server"`
	Change   string               `json:"change"` // ChangeUser, ChangeRemoved or ChangeInstance
	By       []string             `json:"by"`     // who chooses so: ByEnhancement, ByRelease, ByNow
	From     resolution.Candidate `json:"from"`
	To       resolution.Candidate `json:"to"`
	Asked    string               `json:"asked"` // who asked for it, "" = nobody: the comparison does not say
}

// Ask notes who asked for the switches, as far as somebody did: asked gives "" for one that nobody asked for.
func (c *Comparison) Ask(asked func(Switch) string) {
	for i := range c.Switches {
		c.Switches[i].Asked = asked(c.Switches[i])
	}
}

// Unasked are the switches that nobody asked for.
func (c *Comparison) Unasked() []Switch {
	return slices.DeleteFunc(slices.Clone(c.Switches), func(s Switch) bool { return s.Asked != "" })
}

// String says who goes from where to where.
func (s Switch) String() string {
	from, to := side(s.From), side(s.To)
	if s.Change == ChangeInstance {
		from, to = "instance "+s.From.Instance+", recorded in "+s.From.From, "instance "+s.To.Instance
	}
	return fmt.Sprintf("%s: %s: from %s to %s", s.Server, s.Consumer, from, to)
}

func side(c resolution.Candidate) string {
	if c.User == "" {
		return "no account"
	}
	return fmt.Sprintf("%s (%s, %s)", c.User, c.From, c.Step)
}

// switches are the consumers that get another account after than before. Who had none is served, not switched.
func switches(before, after []Resolution) []Switch {
	list := []Switch{}
	for _, a := range before {
		change, b := changed(a, after)
		if change == "" {
			continue
		}
		i := slices.IndexFunc(list, func(s Switch) bool {
			return s.Consumer == a.Consumer && s.Server == a.Server && s.Change == change && s.From == bare(a) && s.To == b
		})
		if i < 0 {
			list = append(list, Switch{a.Consumer, a.Server, change, []string{a.By}, bare(a), b, ""})
		} else if !slices.Contains(list[i].By, a.By) {
			list[i].By = append(list[i].By, a.By)
		}
	}
	return list
}

// changed tells what becomes of one answer.
func changed(a Resolution, after []Resolution) (string, resolution.Candidate) {
	none := resolution.Candidate{Step: StepNone}
	if a.Gets() == "" {
		return "", none
	}
	i := slices.IndexFunc(after, func(b Resolution) bool {
		return b.Consumer == a.Consumer && b.Request == a.Request && b.Server == a.Server && b.By == a.By
	})
	if i < 0 {
		return ChangeRemoved, none
	}
	switch b := after[i]; {
	case b.Gets() == "":
		return ChangeRemoved, bare(b)
	case Spelling(a.User) != Spelling(b.User):
		return ChangeUser, bare(b)
	case a.Instance != "" && b.Instance != "" && !strings.EqualFold(a.Instance, b.Instance):
		return ChangeInstance, bare(b)
	}
	return "", none
}

// bare is what is used, without the words about it.
func bare(r Resolution) resolution.Candidate {
	c := r.Candidate
	c.Why = ""
	return c
}
