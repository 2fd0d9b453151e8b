package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/oc"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

func (r *reconciling) remark() {
	for _, text := range r.passedOver() {
		r.Infof("%s", text)
	}
	r.Warn(r.Notes...)
	if r.Prune && r.Releases.oneAtATime() {
		r.Hint("accounts whose request is gone are found by comparison alone: --from DIR of the release before, --to in place of --requests")
	}
	whose, several := "that the release does not need", len(r.next) > 1
	if several {
		whose = "that none of these releases needs"
	}
	undoes, same := strings.Join(r.Undoes, ", "), !slices.ContainsFunc(r.next, func(n *next) bool { return len(n.alone.Changes) > 0 })
	switch {
	case undoes != "" && r.Prune:
		r.Warnf("this prune undoes what was prepared for %s: reconcile again before such an upgrade", undoes)
	case undoes != "" && len(r.Unneeded) > 0:
		r.Infof("nothing is removed: 'reconcile prune' would undo what was prepared for %s; run it after the upgrade to %s", undoes, r.Undoes[len(r.Undoes)-1])
	case len(r.Unneeded) > 0 && !r.Prune:
		r.Warnf("the accounts have privileges %s: nothing is removed before the upgrade; run 'reconcile prune' after it", whose)
	case several && r.reduces():
		r.Warnf("some of these releases need less than the running one: nothing is removed before the upgrade; run 'reconcile prune' after it")
	case r.from != nil && several && same:
		r.Infof("the requests of these releases are those of the running one")
	case r.from != nil && same:
		r.Infof("the requests of the two releases are the same")
	}
}

// nextPrune prints what comes after the upgrade, except what a later prepared release needs. The
// cluster's requests are those of the next release by then, so those of today have to be saved.
func (r *reconciling) nextPrune() {
	if len(r.Undoes) > 0 {
		return
	}
	releases := r.Releases
	releases.Updates = availableFlags{}
	if r.Releases.compares() && releases.From == "" {
		releases.From = runningDir
		r.Command("before the upgrade, with the image of the running release:",
			oc.Line(cmp.Or(r.image, "IMAGE"), runningDir))
	}
	switch all := r.Releases.Updates.All; {
	case all && releases.Cluster.Given():
		r.pruneAfter("after the upgrade:", releases)
	case all:
		releases.To = []string{nextDir}
		r.Command("after the upgrade, with the image of its release:", oc.Line("IMAGE", nextDir))
		r.pruneAfter("after the upgrade:", releases)
	case len(releases.To) > 1:
		releases.Cluster = command.ClusterFlags{}
		for _, n := range r.next {
			one, when := releases, "after the upgrade to the release in "+n.to.Dir+":"
			if one.To, one.Versions = []string{n.to.Dir}, nil; n.Version != "" {
				one.Versions, when = []string{n.Version}, "after the upgrade to "+n.Version+":"
			}
			r.pruneAfter(when, one)
		}
	default:
		if releases.compares() {
			releases.Cluster = command.ClusterFlags{}
		}
		r.pruneAfter("after the upgrade:", releases)
	}
}

func (r *reconciling) pruneAfter(when string, releases releaseFlags) {
	own, dump := releases.words(), ""
	if !releases.Cluster.Given() { // whose secrets are read else
		own, dump = append(own, "--secrets", "-"), openshift.FromCluster
	}
	r.Command(when, dump+r.CommandLine("reconcile prune", r.Said, own...))
}

// runningDir and nextDir stand for the directories of the requests before and after the upgrade.
const (
	runningDir = "RUNNING"
	nextDir    = "NEXT"
)
