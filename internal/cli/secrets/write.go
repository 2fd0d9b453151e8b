package secrets

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
)

// write writes YAML, encrypted where there are recipients.
func write(w io.Writer, manifests []openshift.Manifest, emit openshift.EmitOptions, to []sealed.Recipient) error {
	if len(to) == 0 {
		return openshift.WriteYAML(w, manifests, emit)
	}
	var plain bytes.Buffer
	if err := openshift.WriteYAML(&plain, manifests, emit); err != nil {
		return err
	}
	encrypted, err := sealed.Seal(plain.Bytes(), to)
	if err != nil {
		return err
	}
	_, err = w.Write(encrypted)
	return err
}

// writeFiles writes all files or, when one cannot be made, as few as possible: each is complete or not there.
func (o *EmitOptions) writeFiles(manifests []openshift.Manifest, emit openshift.EmitOptions, to []sealed.Recipient) error {
	files := map[string][]byte{}
	for _, m := range manifests {
		var text bytes.Buffer
		if err := write(&text, []openshift.Manifest{m}, emit, to); err != nil {
			return err
		}
		files[o.path(m)] = text.Bytes()
	}
	return o.Over.PrivateAll(o.Factory, "output-dir", files)
}

// path is the file of a manifest in the output directory.
func (o *EmitOptions) path(m openshift.Manifest) string {
	path := filepath.Join(o.OutputDir, filepath.FromSlash(m.File))
	if o.Recipients.Given() {
		path += ".age"
	}
	return path
}
