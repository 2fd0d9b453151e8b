package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"strings"

	"github.com/google/rpmpack"
)

// A package's own words. Who answers for it is who releases it.
const (
	maintainer = "The ocp-vsphere-admin authors <" + project + "/issues>"
	longer     = "Creates roles, accounts and scoped permissions for the components of OpenShift\n" +
		"on one or more vCenters, logs in as each account to name every privilege that is\n" +
		"missing or in excess, and writes the credentials file and the secrets."
)

// packages writes the .deb and the .rpm of a machine.
func (r *release) packages(arch string, files []file) error {
	// A pre-release sorts before its release: both know ~ for that.
	version := strings.Replace(r.version, "-", "~", 1)
	deb, err := r.deb(version, arch, installed(files, "usr/share/zsh/vendor-completions", "copyright"))
	if err == nil {
		err = r.write(fmt.Sprintf("%s_%s_%s.deb", tool, r.version, arch), deb)
	}
	if err != nil {
		return err
	}
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	rpm, err := r.rpm(strings.ReplaceAll(version, "-", "_"), machine, installed(files, "usr/share/zsh/site-functions", "LICENSE"))
	if err == nil {
		err = r.write(fmt.Sprintf("%s-%s.%s.rpm", tool, r.version, machine), rpm)
	}
	return err
}

// installed are the files of an archive where a system has them, with the names by which oc and kubectl find a plugin.
func installed(files []file, zsh, licence string) (out []file) {
	doc := "usr/share/doc/" + tool + "/"
	for _, f := range files {
		dir, name, _ := strings.Cut(f.name, "/")
		program, shell, _ := strings.Cut(name, ".")
		switch {
		case f.mode == 0o755:
			f.name = "usr/bin/" + f.name
		case dir == "man":
			data, err := zippedBy(func(w io.Writer) error { _, err := w.Write(f.data); return err })
			if err != nil {
				panic(err) // a buffer takes everything
			}
			f.name, f.data = "usr/share/man/man1/"+name+".gz", data
		case dir == "completions" && shell == "bash":
			f.name = "usr/share/bash-completion/completions/" + program
		case dir == "completions" && shell == "zsh":
			f.name = zsh + "/_" + program
		case dir == "completions" && shell == "fish":
			f.name = "usr/share/fish/vendor_completions.d/" + name
		case dir == "completions":
			continue
		case f.name == "LICENSE":
			f.name = doc + licence
		default:
			f.name = doc + f.name
		}
		out = append(out, f)
	}
	for _, plugin := range []string{"oc-vsphere_admin", "kubectl-vsphere_admin"} {
		out = append(out, file{name: "usr/bin/" + plugin, mode: 0o777, link: tool})
	}
	return out
}

// deb is an archive by ar of three members: deb(5).
func (r *release) deb(version, arch string, files []file) ([]byte, error) {
	var size int
	var sums bytes.Buffer
	for _, f := range files {
		size += len(f.data)
		if f.link == "" {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		}
	}
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nRecommends: ca-certificates\n"+
		"Section: admin\nPriority: optional\nHomepage: %s\nDescription: %s\n %s\n", tool, version, arch, maintainer, (size+1023)/1024, project,
		about, strings.ReplaceAll(longer, "\n", "\n "))
	about, err := r.tarred([]file{{name: "control", mode: 0o644, data: []byte(control)}, {name: "md5sums", mode: 0o644, data: sums.Bytes()}}, "./")
	if err != nil {
		return nil, err
	}
	data, err := r.tarred(files, "./")
	if err != nil {
		return nil, err
	}
	text := bytes.NewBufferString("!<arch>\n")
	for _, member := range []file{{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: about}, {name: "data.tar.gz", data: data}} {
		fmt.Fprintf(text, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", member.name, r.at.Unix(), 0, 0, 0o100644, len(member.data))
		text.Write(member.data)
		if len(member.data)%2 == 1 {
			text.WriteByte('\n')
		}
	}
	return text.Bytes(), nil
}

func (r *release) rpm(version, machine string, files []file) ([]byte, error) {
	pack, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: tool, Summary: about, Description: longer, Version: version, Release: "1", Arch: machine, OS: "linux", URL: project,
		Packager: maintainer, Licence: "Apache-2.0", BuildHost: "localhost", BuildTime: r.at, Compressor: "gzip",
		Recommends: rpmpack.Relations{{Name: "ca-certificates"}},
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		entry := rpmpack.RPMFile{
			Name: "/" + f.name, Body: f.data, Mode: uint(0o100000 | f.mode), Owner: "root", Group: "root", MTime: uint32(r.at.Unix()),
		}
		switch {
		case f.link != "":
			entry.Mode, entry.Body = 0o120777, []byte(f.link)
		case strings.HasPrefix(f.name, "usr/share/doc/"):
			entry.Type = rpmpack.DocFile
		}
		pack.AddFile(entry)
	}
	var text bytes.Buffer
	err = pack.Write(&text)
	return text.Bytes(), err
}
