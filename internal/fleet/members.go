package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Member is one cluster of a fleet.
type Member struct {
	Name string     // of the cluster; the path of the file where that has none, or another file has it
	File string     // its specification
	Spec *spec.Spec // nil where Err is set
	Err  error      // why there is nothing to look at: it is this cluster's alone
}

// Load reads the specifications that paths name: files, and those in directories, without the directories below. Files that others
// name as common are ignored there. A file that cannot be read is a member with an error; only paths that name nothing are an error
// of all.
func Load(paths []string) ([]Member, error) {
	var all []Member
	var errs []error
	seen := map[string]string{} // cluster → file
	for _, path := range paths {
		named, err := specifications(path)
		if err != nil {
			errs = append(errs, err)
		}
		for _, file := range named {
			if slices.ContainsFunc(all, func(m Member) bool { return m.File == file }) {
				continue
			}
			m := Member{Name: file, File: file}
			m.Spec, m.Err = spec.Load(file)
			switch {
			case m.Err != nil:
				m.Spec = nil
			case seen[m.Spec.Cluster] != "":
				m.Err = hint.Errorf("give one of the two another name, or take one out of the directory", "%s: cluster %s is in %s, too", file, m.Spec.Cluster, seen[m.Spec.Cluster])
				m.Spec = nil
			default:
				m.Name = m.Spec.Cluster
				seen[m.Name] = file
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return all, errors.Join(errs...)
}

// specifications are the files that a path names, in the order of their names.
func specifications(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if ext := filepath.Ext(e.Name()); ext != ".yaml" && ext != ".yml" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(file); err == nil && info.IsDir() { // a mounted ConfigMap has links
			continue
		}
		if data, err := files.Read(file, files.Text); err == nil && spec.IsCommon(data) {
			continue
		}
		found = append(found, file)
	}
	if len(found) == 0 {
		return nil, hint.Errorf("put provisioning files there, one for each cluster: NAME.yaml", "%s: no provisioning file is in this directory", path)
	}
	return found, nil
}

// Groups are members that belong together: they share a vCenter, name the same linked group, or do so by way of others. Logins that
// one of them is refused are not tried again by the others, which only holds within one run.
func Groups(all []Member) [][]Member {
	parent := map[string]string{}
	var root func(string) string
	root = func(of string) string {
		if up, ok := parent[of]; ok && up != of {
			return root(up)
		}
		return of
	}
	key := func(m Member) string { return "cluster " + m.Name }
	join := func(a, b string) { parent[root(a)] = root(b) }
	for _, m := range all {
		if m.Spec == nil {
			continue
		}
		for _, v := range m.Spec.VCenters {
			join(key(m), "vcenter "+strings.ToLower(v.Server))
		}
		if m.Spec.LinkedGroup != "" {
			join(key(m), "group "+strings.ToLower(m.Spec.LinkedGroup))
		}
	}
	at := map[string]int{}
	var groups [][]Member
	for _, m := range all {
		top := root(key(m))
		if _, ok := at[top]; !ok {
			at[top] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[top]] = append(groups[at[top]], m)
	}
	return groups
}

// Take gives the members of a shard, in order. Which one a group is in follows from the name of its first cluster and the number of
// shards alone (rendezvous hashing): another cluster in the fleet, or one fewer, moves none of the others. nil takes all.
func Take(all []Member, shard *Shard) []Member {
	if shard == nil {
		return all
	}
	var taken []Member
	for _, g := range Groups(all) {
		if shardOf(g[0].Name, shard.Count) == shard.Index {
			taken = append(taken, g...)
		}
	}
	slices.SortStableFunc(taken, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return taken
}

func shardOf(name string, count int) (index int) {
	best := uint64(0)
	for i := range count {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s", i, name))
		if weight := binary.BigEndian.Uint64(sum[:8]); i == 0 || weight > best {
			best, index = weight, i
		}
	}
	return index
}
