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
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Member is one cluster of a fleet.
type Member struct {
	Name string     // of the cluster; of the file where that says none, or another file has it
	File string     // its specification
	Spec *spec.Spec // nil where Err is set
	Err  error      // why there is nothing to look at: it is this cluster's alone
}

// Load reads the specifications of paths: files, and those in directories and the directories below;
// it ignores common and state files. An unreadable file, or one with the cluster of another file, is
// a member with an error; only paths without any file are an error.
func Load(paths []string) (all []Member, err error) {
	var errs []error
	var named []string
	for _, path := range paths {
		found, err := specifications(path)
		named, errs = lists.AppendNew(named, found...), append(errs, err)
	}
	of := map[string]int{} // the first of a name, which accounts and files may have in either case
	for _, file := range named {
		m := Member{File: file}
		if !slices.Contains(paths, file) { // found, not typed
			m.Err = files.CheckRegular(file)
		}
		if m.Err == nil {
			m.Spec, m.Err = spec.Load(file)
		}
		if m.Err == nil {
			m.Name = m.Spec.Cluster
		} else {
			m.Spec, m.Name = nil, nameIn(file)
		}
		first, twice := of[strings.ToLower(m.Name)]
		if twice && m.Err == nil {
			m.Err = errTwice(all[first].Name, file, all[first].File)
			if all[first].Err == nil { // which of them is meant is not known
				all[first].Spec, all[first].Err = nil, errTwice(m.Name, all[first].File, file)
			}
			m.Spec = nil
		}
		if twice || m.Name == "" {
			m.Name = filepath.Base(file)
			if _, taken := of[strings.ToLower(m.Name)]; taken {
				m.Name = file
			}
		}
		of[strings.ToLower(m.Name)] = len(all)
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return all, errors.Join(errs...)
}

func errTwice(name, file, other string) error {
	return hint.Errorf("give one of the two another name, or take one out of the directory",
		"%s: cluster %s is in %s, too", file, name, other)
}

// Contested are the errors of members, nil for most, whose accounts would take each other's place in
// one credentials file. home is for paths that begin with ~.
func Contested(all []Member, home string) []error {
	type place struct{ file, server, component string }
	errs, first := make([]error, len(all)), map[place]int{}
	for i, m := range all {
		if m.Spec == nil {
			continue
		}
		file, err := m.Spec.CredentialsPath(home)
		if err != nil { // each says so
			continue
		}
		for _, c := range m.Spec.ComponentNames() {
			for _, v := range m.Spec.VCenters {
				at := place{file, strings.ToLower(v.Server), string(c)}
				switch j, taken := first[at]; {
				case !m.Spec.Account(c).Ours(), taken && j == i:
				case !taken:
					first[at] = i
				default:
					errs[i] = cmp.Or(errs[i], errContested(m, all[j], v.Server))
					errs[j] = cmp.Or(errs[j], errContested(all[j], m, v.Server))
				}
			}
		}
	}
	return errs
}

func errContested(m, other Member, server string) error {
	return hint.Errorf("name another credentialsFile in one of the two", "%s: its accounts on %s have the same place in a credentials file as those of %s",
		m.File, server, other.File)
}

// clusterLine is the name of the cluster in a file that says something else wrong.
var clusterLine = pattern.Of(`(?m)^cluster:[ \t]*["']?([A-Za-z0-9][A-Za-z0-9._-]*)["']?[ \t]*(?:#.*)?\r?$`)

// nameIn is the cluster's name in an unreadable file, for its earlier results; "" = none.
func nameIn(file string) string {
	data, err := files.UTF8(files.Read(file, files.Text, files.Regular))
	if err != nil {
		return ""
	}
	if m := clusterLine().FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// specifications are the files that a path names, in the order of their names. Links to directories
// are not followed: a mounted ConfigMap has its files twice.
func specifications(path string) (found []string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{path}, nil
	}
	root := filepath.Clean(path) + string(filepath.Separator) // which may be a link
	err = filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		hidden := file != root && strings.HasPrefix(filepath.Base(file), ".")
		switch ext := filepath.Ext(file); {
		case err != nil:
			return err
		case e.IsDir() && hidden:
			return fs.SkipDir
		case e.IsDir() || hidden || ext != ".yaml" && ext != ".yml":
			return nil
		}
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return nil
		}
		if data, err := files.UTF8(files.Read(file, files.Text, files.Regular)); err == nil && spec.Accompanies(file, data) {
			return nil
		}
		found = append(found, file)
		return nil
	})
	if err == nil && len(found) == 0 {
		err = hint.Errorf("put provisioning files there, one for each cluster: NAME.yaml",
			"%s: no provisioning file is in this directory", path)
	}
	return found, err
}

// Groups are members that share a vCenter or a linked group, also by way of others. Refused logins
// are not tried again within a group, which needs one run.
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

// Take returns a shard's members, in order; nil takes all. Rendezvous hashing by a group's first
// cluster and the number of shards places it, so that a new cluster moves no other group.
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

// Shard is one part of a fleet.
type Shard struct {
	Index int `json:"index"` // from 0
	Count int `json:"count"` // how many parts there are
}

// MaxShards is how many parts a fleet may have.
const MaxShards = 10_000

// ParseShard reads i/n, 0 <= i < n, as an Indexed Job numbers its pods.
func ParseShard(text string) (*Shard, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, more := strconv.Atoi(second)
	if !ok || err != nil || more != nil || n < 1 || n > MaxShards || i < 0 || i >= n {
		return nil, hint.Errorf("write i/n with 0 <= i < n and n at most 10000, such as 0/4: the first of four; in an Indexed Job --shard=$(JOB_COMPLETION_INDEX)/4",
			"%s is no part of the clusters", hint.Quote(text))
	}
	return &Shard{i, n}, nil
}

// String is how it is written.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }
