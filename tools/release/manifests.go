package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// manifest is what a formula or a krew manifest says of one platform.
type manifest struct{ OS, Arch, URL, SHA256, Binary string }

// Homebrew runs on macOS and Linux; its names of machines are its own. krew renames the program to kubectl-vsphere_admin.
var (
	formula = template.Must(template.New("formula").Parse(`class OcpVsphereAdmin < Formula
  desc "{{.About}}"
  homepage "{{.Project}}"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Brew}}
  on_{{.OS}} do
{{- range .Each}}
    on_{{.Arch}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "ocp-vsphere-admin", "vcenter-lab"
    bin.install_symlink "ocp-vsphere-admin" => "oc-vsphere_admin"
    bin.install_symlink "ocp-vsphere-admin" => "kubectl-vsphere_admin"
    man1.install Dir["man/*.1"]
    %w[ocp-vsphere-admin vcenter-lab].each do |program|
      bash_completion.install "completions/#{program}.bash" => program
      zsh_completion.install "completions/#{program}.zsh" => "_#{program}"
      fish_completion.install "completions/#{program}.fish"
    end
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ocp-vsphere-admin version")
  end
end
`))
	krew = template.Must(template.New("krew").Parse(`apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: vsphere-admin
spec:
  version: v{{.Version}}
  homepage: {{.Project}}
  shortDescription: {{.About}}
  description: |
    Creates roles, accounts and scoped permissions for the components of
    OpenShift on one or more vCenters, logs in as each account to name every
    privilege that is missing or in excess, and writes the credentials file and
    the secrets.
  platforms:
{{- range .Krew}}
  - selector:
      matchLabels:
        os: {{.OS}}
        arch: {{.Arch}}
    uri: {{.URL}}
    sha256: {{.SHA256}}
    files:
    - from: "*/{{.Binary}}"
      to: .
    - from: "*/LICENSE"
      to: .
    bin: {{.Binary}}
{{- end}}
`))
)

// manifests writes the Homebrew formula and the krew manifest, with the checksums of the archives.
func (r *release) manifests() error {
	sums, err := r.digests()
	if err != nil {
		return err
	}
	type system struct {
		OS   string
		Each []manifest
	}
	macs, linux := system{OS: "macos"}, system{OS: "linux"}
	say := struct {
		About, Project, Version string
		Brew                    []system
		Krew                    []manifest
	}{About: about, Project: project, Version: r.version}
	for _, p := range slices.Sorted(slices.Values(r.platforms)) {
		goos, arch, _ := strings.Cut(p, "/")
		m := manifest{goos, arch, project + "/releases/download/v" + r.version + "/" + r.archive(p), sums[r.archive(p)], tool}
		if goos == "windows" {
			m.Binary += ".exe"
		}
		say.Krew = append(say.Krew, m)
		m.Arch = map[string]string{"amd64": "intel", "arm64": "arm"}[arch]
		switch goos {
		case "darwin":
			macs.Each = append(macs.Each, m)
		case "linux":
			linux.Each = append(linux.Each, m)
		}
	}
	for _, s := range []system{macs, linux} {
		if len(s.Each) > 0 {
			say.Brew = append(say.Brew, s)
		}
	}
	for name, text := range map[string]*template.Template{tool + ".rb": formula, "vsphere-admin.yaml": krew} {
		var out bytes.Buffer
		if err := text.Execute(&out, say); err != nil {
			return err
		}
		if err := r.write(name, out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// resource names something by its digest, as in-toto does.
type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

// provenance writes how every other file came to be: an in-toto statement with SLSA's predicate, without times, which would differ.
func (r *release) provenance(work string) error {
	sums, err := r.digests()
	if err != nil {
		return err
	}
	modules, toolchain, err := r.modules(work)
	if err != nil {
		return err
	}
	var subjects []resource
	for name, sum := range sums {
		subjects = append(subjects, resource{Name: name, Digest: map[string]string{"sha256": sum}})
	}
	slices.SortFunc(subjects, func(a, b resource) int { return strings.Compare(a.Name, b.Name) })
	inputs := []resource{
		{URI: "git+" + project + "@refs/tags/v" + r.version, Digest: map[string]string{"gitCommit": r.commit}},
		{Name: toolchain, URI: "pkg:golang/std@" + strings.TrimPrefix(toolchain, "go")},
	}
	for _, m := range modules {
		inputs = append(inputs, resource{
			URI: "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B"), Digest: map[string]string{"goModuleH1": m.Sum},
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"_type": "https://in-toto.io/Statement/v1", "subject": subjects, "predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType": project + "/blob/main/docs/releasing.md",
				"externalParameters": map[string]any{
					"version": r.version, "platforms": r.platforms, "command": fmt.Sprintf("make release VERSION=%s", r.version),
				},
				"internalParameters":   map[string]any{"sourceDateEpoch": r.at.Unix(), "commands": r.commands},
				"resolvedDependencies": inputs,
			},
			"runDetails": map[string]any{"builder": map[string]any{"id": project + "/blob/main/docs/releasing.md#who-builds"}},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write(tool+"_"+r.version+".intoto.json", append(text, '\n'))
}
