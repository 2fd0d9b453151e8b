package fleet

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Merge joins the results of shards, or of other parts of a fleet, into one, as if one run had looked at all. names are what errors
// call them. Shards that are not there are named in the result.
func Merge(names []string, all []*Result) (*Result, error) {
	out := *all[0]
	out.Shard, out.Clusters, out.MissingShards = nil, []Cluster{}, nil
	shards, clusters := map[Shard]string{}, map[string]string{}
	count := 0
	for i, r := range all {
		name := names[i]
		switch {
		case r.Command != out.Command:
			return nil, hint.Errorf("merge what one command found", "%s is of fleet %s, and %s of fleet %s", names[0], out.Command, name, r.Command)
		case r.Tool != out.Tool:
			return nil, hint.Errorf("run all shards with one version", "%s was made by %s, and %s by %s", names[0], out.Tool, name, r.Tool)
		case r.Shard == nil:
		case count != 0 && r.Shard.Count != count:
			return nil, fmt.Errorf("%s is one of %d shards, and another one is of %d", name, r.Shard.Count, count)
		case shards[*r.Shard] != "":
			return nil, hint.Errorf("name the one that counts", "%s and %s are both shard %s", shards[*r.Shard], name, r.Shard)
		default:
			count = r.Shard.Count
			shards[*r.Shard] = name
		}
		for _, c := range r.Clusters {
			if other := clusters[c.Name]; other != "" {
				return nil, hint.Errorf("name the one that counts", "cluster %s is in %s and in %s", c.Name, other, name)
			}
			clusters[c.Name] = name
			out.Clusters = append(out.Clusters, c)
		}
		if r.Began.Before(out.Began) {
			out.Began = r.Began
		}
		if r.Ended.After(out.Ended) {
			out.Ended = r.Ended
		}
		out.MissingShards = append(out.MissingShards, r.MissingShards...)
	}
	for i := range count {
		if s := (Shard{i, count}); shards[s] == "" {
			out.MissingShards = append(out.MissingShards, s.String())
		}
	}
	slices.SortFunc(out.Clusters, func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
	out.count()
	return &out, nil
}
