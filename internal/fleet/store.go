package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Fresh is how long what an interrupted run found is worth going on with.
const Fresh = 24 * time.Hour

// Store is a directory with a run's results: a file for each cluster when it is done, and the whole
// result at the end. It lets an interrupted run resume.
type Store struct {
	dir  string
	ask  string // what was asked: the command, its options and the version of the tool
	held io.Closer
	err  error // why results could not be kept
}

// Earlier says what becomes of the results of an earlier run; by default they are an error.
type Earlier struct {
	Resume bool // go on with it if it was interrupted, and drop it if it ended
	Drop   bool
	Strict bool // an interrupted one that was asked for with other options is an error
}

// stored is a file of a cluster.
type stored struct {
	Asked   string  `json:"asked"`
	Cluster Cluster `json:"result"`
}

const (
	resultFile = "result.json"
	ofCluster  = ".cluster.json"
)

// OpenStore makes a run's directory, until [Store.Close]. asked identifies the run: it takes no
// results of another.
func OpenStore(dir, asked string, earlier Earlier) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides: no secret is in a result
		return nil, err
	}
	held, ok, err := files.Hold(dir)
	if err == nil && !ok { // not every file system locks
		return nil, fmt.Errorf("%s: another run is writing its results there: wait until it ends", dir)
	}
	s := &Store{dir: dir, ask: asked, held: held}
	if err := s.begin(earlier); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// begin removes the results of an earlier run, unless it goes on with them.
func (s *Store) begin(earlier Earlier) error {
	existing, err := s.files()
	if err != nil {
		return err
	}
	finished := slices.Contains(existing, resultFile)
	if earlier.Resume && !earlier.Drop {
		if other := s.other(existing, earlier.Strict); other != "" {
			return hint.Errorf("name another directory, or give the results up with --force",
				"%s has results of %s", s.dir, other)
		}
	}
	switch {
	case len(existing) == 0, earlier.Resume && !finished:
		return nil
	case !earlier.Resume && !earlier.Drop:
		return hint.Errorf("--resume goes on with a run that was interrupted, and begins a new one after one that ended; --force begins a new one in either case",
			"%s has the results of an earlier run", s.dir)
	}
	for _, name := range existing {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Close lets another run write there; nil = no store.
func (s *Store) Close() {
	if s != nil {
		_ = s.held.Close()
	}
}

// other is the command of an interrupted run in the directory, if it is another one, strictly with its
// options; "" = the same.
func (s *Store) other(existing []string, strict bool) string {
	mine, _, _ := strings.Cut(s.ask, " ")
	for _, name := range existing {
		data, err := files.Read(filepath.Join(s.dir, name), files.Plan, files.Regular)
		var kept stored
		if err != nil || name == resultFile || json.Unmarshal(data, &kept) != nil {
			continue
		}
		if verb, _, _ := strings.Cut(kept.Asked, " "); verb != mine {
			return verb
		}
		if strict && kept.Asked != s.ask && !slices.Contains(existing, resultFile) {
			return mine + " with other options, which is not complete"
		}
		return "" // all are of one run
	}
	return ""
}

// files are those in the directory that a run wrote.
func (s *Store) files() (names []string, err error) {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if name := e.Name(); name == resultFile || strings.HasSuffix(name, ofCluster) {
			names = append(names, name)
		}
	}
	return names, err
}

// Kept is the result of an interrupted run: no failure, of the same specification, from today.
func (s *Store) Kept(name, digest string, now time.Time) (Cluster, bool) {
	data, err := files.Read(s.path(name), files.Plan, files.Regular)
	if err != nil {
		return Cluster{}, false
	}
	var kept stored
	if json.Unmarshal(data, &kept) != nil || kept.Asked != s.ask {
		return Cluster{}, false
	}
	c := kept.Cluster
	age := now.Sub(c.Ended)
	return c, c.Name == name && c.Digest == digest && c.Outcome != Failed && age >= 0 && age < Fresh
}

// Keep writes what was found of a cluster. One that failed is looked at again anyway.
func (s *Store) Keep(c Cluster) {
	if s == nil || c.Outcome == Failed {
		return
	}
	data, err := json.Marshal(stored{s.ask, c})
	if err == nil {
		err = files.WritePublic(s.path(c.Name), term.EscapeJSON(data))
	}
	s.err = cmp.Or(s.err, err) // a full disk is one error
}

// Err is why results could not be kept.
func (s *Store) Err() error {
	if s == nil {
		return nil
	}
	return s.err
}

// Finish writes the result of a run that came to its end, unless one of its results is missing.
func (s *Store) Finish(r *Result) {
	if s == nil || s.err != nil {
		return
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = files.WritePublic(filepath.Join(s.dir, resultFile), term.EscapeJSON(append(data, '\n')))
	}
	s.err = err
}

// path is the file of a cluster, whose name is a plain word: see [spec.Spec].
func (s *Store) path(name string) string { return filepath.Join(s.dir, name+ofCluster) }

// Read reads a result: a file as -o json printed it, or a directory that a run wrote.
func Read(path string) (*Result, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, resultFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, hint.Errorf("go on with it: the same command with --resume",
				"%s: the run whose results are there has not come to its end", filepath.Dir(path))
		}
	}
	data, err := files.Read(path, resultLimit)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// resultLimit is how large the file of a result may be: a thousand clusters have some 200 KiB each.
const resultLimit files.Limit = 1 << 30

// Parse reads a result as -o json prints it, also in the log of a pod; name is what errors call it.
func Parse(name string, data []byte) (*Result, error) {
	r := new(Result)
	if err := json.Unmarshal(document(data), r); err != nil || r.Kind != Kind {
		return nil, hint.Errorf("write one with plan, verify or report of many clusters and -o json",
			"%s: this is no result over many clusters as JSON", name)
	}
	if r.APIVersion != plan.APIVersion {
		return nil, fmt.Errorf("%s: it is of version %q, and this tool reads %s", name, r.APIVersion,
			plan.APIVersion)
	}
	if r.Shard != nil {
		if _, err := ParseShard(r.Shard.String()); err != nil {
			return nil, fmt.Errorf("%s: %w: somebody changed this file", name, err)
		}
	}
	for _, c := range r.Clusters {
		if !slices.Contains([]Outcome{OK, Different, Failed, Left}, c.Outcome) || c.Name == "" {
			return nil, fmt.Errorf("%s: cluster %s: outcome %s is unknown: somebody changed this file", name,
				hint.Quote(c.Name), hint.Quote(string(c.Outcome)))
		}
		if c.miscounted() {
			return nil, fmt.Errorf("%s: cluster %s: a count is negative or too large: somebody changed this file", name, hint.Quote(c.Name))
		}
	}
	r.count() // from what is there
	return r, nil
}

// document cuts the result out of a pod's log of both streams: from the first line that is a brace
// to the last. Other data is returned whole.
func document(data []byte) []byte {
	begin, end := 0, len(data)
	if !bytes.HasPrefix(data, []byte("{\n")) {
		begin = bytes.Index(data, []byte("\n{\n")) + 1
	}
	if !bytes.HasSuffix(data, []byte("\n}")) {
		if at := bytes.LastIndex(data, []byte("\n}\n")); at >= begin {
			end = at + len("\n}\n")
		}
	}
	return data[begin:end]
}
