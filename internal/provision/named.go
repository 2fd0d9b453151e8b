package provision

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// answers is how long a name has to say which vCenter it leads to: one that left leads nowhere, and nobody waits for it.
const answers = 5 * time.Second

// instances asks servers for the instance UUIDs of their vCenters, without a login, as the specification reaches those that it names.
func (j *Job) instances(ctx context.Context, servers []string) map[string]string {
	var configs []vcenter.Config
	for _, server := range servers {
		at := spec.VCenter{Server: server, Port: spec.DefaultPort}
		for _, v := range j.Spec.Whole().VCenters {
			if strings.EqualFold(v.Server, server) {
				at = v
			}
		}
		configs = append(configs, j.o.Config(at))
	}
	ctx, stop := context.WithTimeout(ctx, answers)
	defer stop()
	ids, _ := vcenter.Instances(ctx, configs) // who does not answer has none
	return ids
}

// others are the names beside those of a run that may lead to its vCenters: sections of the credentials file, and where something is
// written also the vCenters that the run leaves out.
func others(q *snapshot.Request) []string {
	servers := slices.Collect(maps.Keys(q.LeftEntries()))
	for _, v := range q.Spec.Whole().VCenters {
		if !q.Looking && !slices.Contains(q.Servers(), v.Server) {
			servers = append(servers, v.Server)
		}
	}
	return servers
}

// NamesOf are the vCenters of the run by all of their names: those of the specification, those that the last plan found, and those of
// servers, as the keys of secrets name them, that answer as one of its vCenters.
func (j *Job) NamesOf(ctx context.Context, servers ...string) []string {
	names := j.Servers()
	for _, t := range j.targets {
		names = append(names, t.OtherSections()...)
	}
	asked := slices.DeleteFunc(slices.Clone(servers), func(s string) bool { return slices.Contains(names, s) })
	for server, id := range j.instances(ctx, asked) {
		if slices.ContainsFunc(j.targets, func(t *target) bool { return strings.EqualFold(t.Instance, id) }) {
			names = append(names, server)
		}
	}
	return names
}
