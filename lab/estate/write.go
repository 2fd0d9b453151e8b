package estate

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// file is an estate as it is written: the order of the fields is that of the documentation.
type file struct {
	APIVersion string        `yaml:"apiVersion"`
	Kind       string        `yaml:"kind"`
	Linked     bool          `yaml:"linked,omitempty"`
	VCenters   []fileVCenter `yaml:"vcenters"`
}

type fileVCenter struct {
	Server      string           `yaml:"server"`
	Domain      string           `yaml:"ssoDomain"`
	LinkedWith  string           `yaml:"linkedWith,omitempty"`
	Sources     []fileSource     `yaml:"identitySources,omitempty"`
	Privileges  filePrivileges   `yaml:"privileges,omitempty"`
	Guests      string           `yaml:"guests,omitempty"`
	Users       []fileUser       `yaml:"users,omitempty"`
	Groups      []fileGroup      `yaml:"groups,omitempty"`
	Roles       []fileRole       `yaml:"roles,omitempty"`
	Objects     []fileObject     `yaml:"objects,omitempty"`
	Permissions []filePermission `yaml:"permissions,omitempty"`
	Tags        []fileTag        `yaml:"tags,omitempty"`
}

type filePrivileges struct {
	Knows   []string `yaml:"knows,omitempty"`
	Without []string `yaml:"without,omitempty"`
}

type fileSource struct {
	Name  string `yaml:"name"`
	Alias string `yaml:"alias,omitempty"`
	Type  string `yaml:"type,omitempty"`
}

type fileUser struct {
	Name     string `yaml:"name"`
	Disabled bool   `yaml:"disabled,omitempty"`
	Mark     string `yaml:"mark,omitempty"`
}

type fileGroup struct {
	Name   string   `yaml:"name"`
	Users  []string `yaml:"users,omitempty"`
	Groups []string `yaml:"groups,omitempty"`
}

type fileRole struct {
	Name       string   `yaml:"name"`
	Privileges []string `yaml:"privileges,omitempty"`
}

type fileObject struct {
	Path     string   `yaml:"path"`
	Type     string   `yaml:"type"`
	Hosts    []string `yaml:"hosts,omitempty"`
	Switch   string   `yaml:"switch,omitempty"`
	Pool     string   `yaml:"pool,omitempty"`
	Template bool     `yaml:"template,omitempty"`

	Encrypted bool     `yaml:"encrypted,omitempty"`
	HostName  string   `yaml:"hostName,omitempty"`
	Addresses []string `yaml:"addresses,omitempty"`
}

type filePermission struct {
	Object    string `yaml:"object"`
	Principal string `yaml:"principal"`
	Group     bool   `yaml:"group,omitempty"`
	Role      string `yaml:"role"`
	Propagate bool   `yaml:"propagate,omitempty"`
}

type fileTag struct {
	Category string   `yaml:"category"`
	Name     string   `yaml:"name"`
	Objects  []string `yaml:"objects,omitempty"`
}

// linked reports whether all vCenters share one SSO domain.
func (e *Estate) linked() bool {
	return len(e.VCenters) > 1 && !slices.ContainsFunc(e.VCenters[1:], func(v VCenter) bool { return v.LinkedWith != e.VCenters[0].Server })
}

// YAML is the estate as a file. Parse gives the same estate back, if it is one that Parse accepts.
func (e *Estate) YAML() []byte {
	f := file{APIVersion: APIVersion, Kind: Kind, Linked: e.linked()}
	for _, v := range e.VCenters {
		out := fileVCenter{
			Server: v.Server, Domain: v.Domain, Privileges: filePrivileges{v.Knows, v.Without},
			Guests: v.Guests,
		}
		if !f.Linked {
			out.LinkedWith = v.LinkedWith
		}
		for _, s := range v.Sources {
			if s.Type == sourceTypes()[0] {
				s.Type = ""
			}
			out.Sources = append(out.Sources, fileSource(s))
		}
		for _, u := range v.Users {
			out.Users = append(out.Users, fileUser(u))
		}
		for _, g := range v.Groups {
			out.Groups = append(out.Groups, fileGroup(g))
		}
		for _, r := range v.Roles {
			out.Roles = append(out.Roles, fileRole(r))
		}
		for _, o := range v.Objects {
			out.Objects = append(out.Objects, fileObject(o))
		}
		for _, p := range v.Permissions {
			out.Permissions = append(out.Permissions, filePermission(p))
		}
		for _, t := range v.Tags {
			out.Tags = append(out.Tags, fileTag(t))
		}
		f.VCenters = append(f.VCenters, out)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(f)
	if err != nil {
		// Strings, truth values and lists are all that it holds, and a Buffer takes everything.
		panic(fmt.Sprintf("estate: encode: %v", err))
	}
	safe, err := term.SafeYAML(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("estate: encode: %v", err)) // it is the encoder's own text
	}
	return safe
}
