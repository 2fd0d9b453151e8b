package held

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
)

const (
	heldEnd    = "-credentials.yaml" // of ccoctl's names
	sealedEnd  = ".age"
	printedDir = "printed"     // subdirectory of printed secrets until they are applied
	ownerFile  = "cluster.txt" // in the directory: whose secrets these are
)

// Dir is a directory of held secrets: mode 0700, a file of mode 0600 for each, written atomically.
// A secret is always in it from the first [Dir.Put] until [Dir.Remove]: a printed one moves to a
// subdirectory, because the cluster may not have it.
type Dir struct {
	Path    string
	Cluster string                                         // the only cluster of the directory; "" = unknown
	Seal    func(plain []byte) ([]byte, error)             // nil = the files are in the clear
	Open    func(name string, data []byte) ([]byte, error) // decrypts a file; nil = there is no key

	step func(what string) error // before each change on the disk; tests end there
}

// Lock keeps other runs out of the directory until unlock. It makes the directory.
func (d Dir) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return nil, err
	}
	if err := d.safe(); err != nil {
		return nil, err
	}
	return credfile.Lock(d.at(ownerFile), "name another directory")
}

func (d Dir) at(name string) string { return filepath.Join(d.Path, name) }

// Where is the path of a secret that [Dir.Read] gave.
func (d Dir) Where(h Secret) string { return d.at(cmp.Or(h.file, h.File())) }

func (d Dir) before(what string) error {
	if d.step == nil {
		return nil
	}
	return d.step(what)
}

// Exists reports whether there is such a directory.
func (d Dir) Exists() bool {
	info, err := os.Stat(d.Path)
	return err == nil && info.IsDir()
}

// safe refuses a directory that others can change, and one with a link below.
func (d Dir) safe() error {
	path, err := filepath.EvalSymlinks(d.Path)
	for _, dir := range []string{path, filepath.Join(path, printedDir)} {
		if err == nil {
			err = files.CheckDir(dir)
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // nothing is held, or nothing was printed
		return nil
	}
	return err
}

// own notes the directory's cluster, or refuses another cluster's, whose files have the same names.
func (d Dir) own(write bool) error {
	if err := d.safe(); err != nil {
		return err
	}
	had, err := files.Read(d.at(ownerFile), files.Line, files.Regular)
	switch owner := strings.TrimSpace(string(had)); {
	case errors.Is(err, fs.ErrNotExist) && !write:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if err := d.before("own"); err != nil {
			return err
		}
		return files.WritePrivate(d.at(ownerFile), []byte(d.Cluster+"\n"))
	case err != nil:
		return err
	case owner != d.Cluster && (write || d.Cluster != ""):
		return hint.Errorf("a directory has the secrets of only one cluster: choose another one",
			"%s has secrets of cluster %q, but this is %q", d.Path, owner, d.Cluster)
	}
	return nil
}

// Check refuses another cluster's directory, and one that others can change. A missing one is fine.
func (d Dir) Check() error { return d.own(false) }

// Outcome says what [Dir.Put] did with a secret.
type Outcome string

// The outcomes.
const (
	Added     Outcome = "held"
	Kept      Outcome = "held already"
	Refreshed Outcome = "held with its current password"
)

// Put holds a secret. It replaces a different one of an earlier run, since the credentials file
// decides. Another file of that name is an error, and stays. An encrypted one cannot be compared:
// the directory's owner makes it ours, and it is replaced.
func (d Dir) Put(h Secret) (Outcome, error) {
	h.Sealed = d.Seal != nil
	if err := d.own(true); err != nil {
		return "", err
	}
	outcome := Added
	for _, sealedFile := range []bool{false, true} { // the other form may exist
		other := h
		other.Sealed = sealedFile
		had, err := d.read(other.File())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.Is(err, errClosed):
			outcome = Refreshed
		case err != nil:
			return "", hint.Wrap(err, "it is not overwritten: move it away, or choose another directory")
		case had.At() != h.At():
			return "", fmt.Errorf("%s holds secret %s, and %s would have the same name: ccoctl names them alike", d.at(other.File()), had.At(), h.At())
		case sealedFile == h.Sealed && had.same(h.Manifest.Secret.Data) && had.Request == h.Request &&
			had.Component == h.Component:
			return Kept, d.drop(h, !sealedFile)
		default:
			outcome = Refreshed
		}
	}
	if err := d.write(h, h.File()); err != nil {
		return "", err
	}
	return outcome, d.drop(h, !h.Sealed)
}

// drop removes the form that a secret is not held in any more. The other one is there.
func (d Dir) drop(h Secret, sealedFile bool) error {
	h.Sealed = sealedFile
	return d.remove(h.File())
}

func (d Dir) write(h Secret, file string) error {
	text, err := h.text()
	if err == nil && h.Sealed {
		text, err = d.Seal(text)
	}
	if err == nil {
		err = d.before("write " + file)
	}
	if err != nil {
		return err
	}
	return files.WritePrivate(d.at(file), text)
}

// errClosed says that no key opens an encrypted file.
var errClosed = errors.New("is encrypted")

// read reads one file, which may be among those that were handed out.
func (d Dir) read(file string) (Secret, error) {
	where, name := d.at(file), filepath.Base(file)
	data, err := files.Read(where, files.Text, files.Regular, files.CheckPrivate)
	if err != nil {
		return Secret{}, err
	}
	isSealed := sealed.Is(data)
	if isSealed {
		if d.Open == nil {
			return Secret{}, fmt.Errorf("%s %w", where, errClosed)
		}
		if data, err = d.Open(where, data); err != nil {
			return Secret{}, err
		}
	}
	h, err := parseHeld(where, data)
	if err != nil {
		return Secret{}, err
	}
	h.Sealed, h.Printed, h.file = isSealed, name != file, file
	if h.File() != name {
		return Secret{}, fmt.Errorf("%s holds secret %s, whose file is %s", where, h.At(), h.File())
	}
	return h, nil
}

// Read returns the held secrets by file name, printed ones only if not held again.
func (d Dir) Read() ([]Secret, error) {
	if err := d.own(false); err != nil {
		return nil, err
	}
	var list []Secret
	var errs []error
	for _, below := range []string{"", printedDir} {
		dir := d.at(below)
		entries, err := os.ReadDir(dir)
		if err != nil && !(below != "" && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		for _, e := range entries {
			if !strings.HasSuffix(strings.TrimSuffix(e.Name(), sealedEnd), heldEnd) || e.IsDir() {
				continue
			}
			if !e.Type().IsRegular() { // a pipe would be waited for, and a link leads elsewhere
				errs = append(errs, fmt.Errorf("%s is not a regular file", filepath.Join(dir, e.Name())))
				continue
			}
			h, err := d.read(filepath.Join(below, e.Name()))
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if !slices.ContainsFunc(list, func(other Secret) bool { return other.At() == h.At() }) {
				list = append(list, h)
			}
		}
	}
	slices.SortFunc(list, func(a, b Secret) int { return strings.Compare(a.File(), b.File()) })
	return list, errors.Join(errs...)
}

// Closed reports whether an error of [Dir.Read] is that a file is encrypted.
func Closed(err error) bool { return errors.Is(err, errClosed) }
