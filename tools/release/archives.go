package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// under gives the files below a directory.
func under(dir string, files []file) []file {
	files = slices.Clone(files)
	for i := range files {
		files[i].name = path.Join(dir, files[i].name)
	}
	return files
}

// tarball is a gzipped tar of the files, which belong to root.
func (r *release) tarball(files []file) ([]byte, error) { return r.tarred(files, "") }

// tarred begins each name with a prefix and has the directories, too, where that is not empty, as dpkg wants it.
func (r *release) tarred(files []file, prefix string) ([]byte, error) {
	return zippedBy(func(w io.Writer) error {
		out := tar.NewWriter(w)
		var err error
		put := func(h tar.Header, data []byte) {
			h.ModTime, h.Uname, h.Gname, h.Size, h.Format = r.at, "root", "root", int64(len(data)), tar.FormatGNU
			if err == nil {
				err = out.WriteHeader(&h)
			}
			if err == nil {
				_, err = out.Write(data)
			}
		}
		if prefix != "" {
			for _, dir := range parents(files) {
				put(tar.Header{Typeflag: tar.TypeDir, Name: path.Clean(prefix+dir) + "/", Mode: 0o755}, nil)
			}
		}
		for _, f := range files {
			h := tar.Header{Typeflag: tar.TypeReg, Name: prefix + f.name, Mode: f.mode}
			if f.link != "" {
				h.Typeflag, h.Linkname = tar.TypeSymlink, f.link
			}
			put(h, f.data)
		}
		return errors.Join(err, out.Close())
	})
}

// parents are the directories of the files, each before what is in it; "." is the first.
func parents(files []file) []string {
	dirs := []string{"."}
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortFunc(dirs, strings.Compare)
	return slices.Compact(dirs)
}

// zippedBy is what write writes, gzipped without a name and time.
func zippedBy(write func(io.Writer) error) ([]byte, error) {
	var text bytes.Buffer
	w, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err == nil {
		err = errors.Join(write(w), w.Close())
	}
	return text.Bytes(), err
}

// zipped is a zip archive of the files.
func (r *release) zipped(files []file) ([]byte, error) {
	var text bytes.Buffer
	out := zip.NewWriter(&text)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.at}
		h.SetMode(fs.FileMode(f.mode))
		w, err := out.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := out.Close()
	return text.Bytes(), err
}
