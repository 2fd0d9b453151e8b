package decision

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// checkRivals refuses to grant an adopted principal anything where another cluster has: a principal has one permission on an
// object (R11), so that each of the two would take away what the other one needs.
func (s *VCenterPlan) checkRivals(d *snapshot.Desired) error {
	clusters := map[string][]string{} // the other cluster, and what is held
	who := map[string]string{}
	for _, e := range d.All {
		if !e.Account.Adopted {
			continue
		}
		p := s.Exactly(e)
		if p == nil {
			continue
		}
		if owner := s.Facts[p.RoleID].Owner; owner != "" && owner != s.Request.Spec.Cluster {
			key := owner + "\x00" + e.Account.Key
			clusters[key] = append(clusters[key], e.At.Path())
			who[key] = e.Account.Principal.String()
		}
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(clusters)) {
		owner, _, _ := strings.Cut(key, "\x00")
		errs = append(errs, hint.Errorf("give one of the two clusters another account: a principal has only one permission per object",
			"%s: %s is already used by cluster %s on %s, so cluster %s cannot use it there too",
			s.VCenter.Server, who[key], owner, lists.Few(clusters[key]), s.Request.Spec.Cluster))
	}
	return errors.Join(errs...)
}

// checkMarks refuses principals that are accounts which this tool made for another cluster.
func (s *VCenterPlan) checkMarks() error {
	var errs []error
	for _, g := range s.Adoptees() {
		found, _ := s.SSO.Principal(g.Name)
		cluster, c, ok := sso.ParseMark(found.Description)
		if ok && cluster != s.Request.Spec.Cluster {
			errs = append(errs, hint.Errorf("name an account that no other cluster uses, or omit principal and one is created",
				"%s: %s was created for cluster %s (%s), so cluster %s cannot use it", s.VCenter.Server, g, cluster, c, s.Request.Spec.Cluster))
		}
	}
	return errors.Join(errs...)
}

// errForeign refuses an account that has a name of ours and not our mark.
func errForeign(s *snapshot.Snapshot, c component.Name, u sso.User) error {
	way := append(s.MarkBack(c, u), "ask its owner")[0]
	if _, _, ours := sso.ParseMark(u.Description); ours {
		way = "check the cluster that the specification or --cluster names"
	}
	return hint.Errorf(way, "%s: account %s@%s %s", s.VCenter.Server, u.Name, s.SSO.Domain, u.Origin())
}

// unnamed says who holds roles of this cluster and is not in the specification: an account that it adopted once.
func (s *VCenterPlan) unnamed() {
	held, whose := map[string]int{}, map[string]access.Principal{}
	for _, p := range s.Perms.All {
		if owner := s.Facts[p.RoleID].Owner; owner == "" || owner != s.Request.Spec.Cluster {
			continue
		}
		who := PrincipalOf(p)
		if !s.NamesHolder(p) {
			held[who.String()]++
			whose[who.String()] = who
		}
	}
	for _, who := range slices.Sorted(maps.Keys(held)) {
		if s.Request.Undoing { // nothing that this prints may create anything again
			s.tell(plan.Change{Kind: plan.Permission, Principal: whose[who].Name, Group: whose[who].Group}.Tell(stays(s.Request.Unnarrowed()),
				"kept: the specification does not name it, and it has "+term.Count(held[who], "permission")+
					" with roles of this cluster; to take them back, name it there again as the principal of its component and run destroy"))
			continue
		}
		s.tell(plan.Change{Kind: plan.Permission}.Tell(finding.NotAsSpecified, fmt.Sprintf(
			"%s has %s with roles of this cluster but is not in the specification; they are kept until apply --prune removes them",
			who, term.Count(held[who], "permission"))))
	}
}

// stays is the code of what is left otherwise than specified, by whether the run was asked to take it away.
func stays(asked bool) finding.Code {
	if asked {
		return finding.StaysBehind
	}
	return finding.NotAsSpecified
}
