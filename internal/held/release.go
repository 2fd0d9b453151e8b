package held

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
)

// Notes reports whether [Dir.MarkPrinted] stores a secret with its printed passwords: not if its
// file is encrypted with older ones, and no key for encryption is named.
func (d Dir) Notes(h Secret) bool { return !h.renewed || !h.Sealed || d.Seal != nil }

// MarkPrinted notes that secrets were printed; they stay, with these passwords by [Dir.Notes].
func (d Dir) MarkPrinted(list []Secret) error {
	var errs []error
	for _, h := range list {
		renew := h.renewed && d.Notes(h)
		if h.Printed && !renew {
			continue
		}
		if err := os.MkdirAll(d.at(printedDir), 0o700); err != nil {
			return err
		}
		if renew {
			h.Sealed = d.Seal != nil
		}
		last := filepath.Join(printedDir, h.File())
		err := d.before("mark " + h.File())
		switch {
		case err != nil:
			return err
		case renew:
			err = d.write(h, last)
		default:
			err = os.Rename(d.at(h.file), d.at(last))
		}
		if err == nil { // what a run that ended early left would count as held again
			err = d.removeBut(h, last)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Remove ends the holding of a secret that is in the cluster or delivered. It removes older files
// first, so that an interrupted run leaves the present one.
func (d Dir) Remove(h Secret) error {
	last := cmp.Or(h.file, h.File())
	if err := d.removeBut(h, last); err != nil {
		return err
	}
	return d.remove(last)
}

func (d Dir) removeBut(h Secret, last string) error {
	name := strings.TrimSuffix(h.File(), sealedEnd)
	for _, file := range []string{filepath.Join(printedDir, name), filepath.Join(printedDir, name+sealedEnd), name + sealedEnd, name} {
		if file == last {
			continue
		}
		if err := d.remove(file); err != nil {
			return err
		}
	}
	return nil
}

func (d Dir) remove(file string) error {
	if _, err := os.Lstat(d.at(file)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := d.before("remove " + file); err != nil {
		return err
	}
	return os.Remove(d.at(file))
}

// WriteYAML writes secrets with passwords as one stream of YAML; seal, if not nil, encrypts it.
func WriteYAML(w io.Writer, list []Secret, seal func([]byte) ([]byte, error)) error {
	manifests := make([]openshift.Manifest, len(list))
	for i, h := range list {
		manifests[i] = h.Manifest
	}
	var text bytes.Buffer
	err := openshift.WriteYAML(&text, manifests, emitting())
	data := text.Bytes()
	if err == nil && seal != nil {
		data, err = seal(data)
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// Deliver writes a secret to a file below dir, with ccoctl's name, and ends the holding when that
// is complete. seal, if not nil, encrypts it. An existing file is no error if it says the same; an
// encrypted one is opened for that (age output always differs).
func (d Dir) Deliver(h Secret, dir string, seal func([]byte) ([]byte, error)) (path string, err error) {
	var plain bytes.Buffer
	if err := WriteYAML(&plain, []Secret{h}, nil); err != nil {
		return "", err
	}
	data := plain.Bytes()
	if seal != nil {
		if data, err = seal(data); err != nil {
			return "", err
		}
	}
	path = filepath.Join(dir, filepath.FromSlash(h.Manifest.File))
	if seal != nil {
		path += sealedEnd
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if err := d.before("deliver " + path); err != nil {
		return "", err
	}
	err = files.CreatePrivate(path, data)
	if errors.Is(err, fs.ErrExist) {
		err = d.delivered(path, plain.Bytes()) // interrupted before the removal
	}
	if err != nil {
		return "", err
	}
	return path, d.Remove(h)
}

// delivered refuses a file that says anything else than plain.
func (d Dir) delivered(path string, plain []byte) error {
	had, err := files.Read(path, files.Text, files.Regular, files.CheckPrivate)
	if err == nil && sealed.Is(had) {
		if d.Open == nil {
			return hint.Errorf("set its key with --identity; or remove that file to write the secret again: it is still held", "%s exists and is encrypted, so it cannot be compared and is not overwritten", path)
		}
		had, err = d.Open(path, had)
	}
	if err != nil || !bytes.Equal(had, plain) {
		return hint.Errorf("apply that file, or remove it if it is from an earlier release: the secret is still held", "%s exists with other content: it is not overwritten", path)
	}
	return nil
}

// Applied ends the holding of printed secrets that the cluster has by the administrator's word.
// Others stay, and so do those whose accounts have changed since.
func (d Dir) Applied(list []Secret, stale map[component.Ref]bool) (gone, stay []Secret, err error) {
	for _, h := range list {
		if !h.Printed || stale[h.At()] {
			stay = append(stay, h)
			continue
		}
		if err := d.Remove(h); err != nil {
			return gone, stay, err
		}
		gone = append(gone, h)
	}
	return gone, stay, nil
}
