package spec

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// file is a provisioning file as it is written: the order of the fields is that of the documentation.
type file struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Cluster    string `yaml:"cluster"`
	Credfile   string `yaml:"credentialsFile,omitempty"`
	Linked     string `yaml:"linkedGroup,omitempty"`
	Profile    string `yaml:"profile"`
	Privileges struct {
		Matrix     string      `yaml:"matrix"`
		RoleLayout string      `yaml:"roleLayout"`
		RolePrefix string      `yaml:"rolePrefix"`
		Conditions []string    `yaml:"conditions,flow,omitempty"`
		Added      []fileAdded `yaml:"added,omitempty"`
	} `yaml:"privileges"`
	Accounts struct {
		Username string `yaml:"username"`
	} `yaml:"accounts"`
	Components *yaml.Node    `yaml:"components,omitempty"`
	VCenters   []fileVCenter `yaml:"vcenters"`
	Reconciled []fileRelease `yaml:"reconciledAvailableUpdates,omitempty"`
}

type fileRelease struct {
	Version string `yaml:"version"`
	Image   string `yaml:"image"`
}

func filesReleased(releases []release.Ref) (all []fileRelease) {
	for _, r := range releases {
		all = append(all, fileRelease(r))
	}
	return all
}

type fileVCenter struct {
	Server         string       `yaml:"server"`
	Port           int          `yaml:"port"`
	Address        string       `yaml:"address,omitempty"`
	Accounts       *yaml.Node   `yaml:"accounts,omitempty"`
	FailureDomains []fileDomain `yaml:"failureDomains,omitempty"`
}

type fileDomain struct {
	Name           string   `yaml:"name"`
	Datacenter     string   `yaml:"datacenter"`
	ComputeCluster string   `yaml:"computeCluster"`
	Datastore      string   `yaml:"datastore"`
	Networks       []string `yaml:"networks,flow"`
	Folder         string   `yaml:"folder,omitempty"`
	ResourcePool   string   `yaml:"resourcePool,omitempty"`
	Template       string   `yaml:"template,omitempty"`
	HostGroup      bool     `yaml:"hostGroup,omitempty"`
	Region         string   `yaml:"region,omitempty"`
	Zone           string   `yaml:"zone,omitempty"`
}

type fileComponent struct {
	Principal string `yaml:"principal,omitempty"`
	Group     *bool  `yaml:"group,omitempty"`
	Disabled  bool   `yaml:"disabled,omitempty"`
}

type fileAccount struct {
	User string `yaml:"user"`
}

// YAML is the spec as a provisioning file. Parse gives the same spec back, if it is one that Parse accepts: after FromServers the
// cluster must be set first.
func (s *Spec) YAML() []byte {
	f := file{APIVersion: s.APIVersion, Kind: s.Kind, Cluster: s.Cluster, Credfile: s.CredentialsFile, Linked: s.LinkedGroup, Profile: s.Profile, Components: s.componentsNode()}
	f.Privileges.Matrix = s.Privileges.Matrix
	f.Privileges.RoleLayout = s.Privileges.RoleLayout
	f.Privileges.RolePrefix = s.Privileges.RolePrefix
	f.Privileges.Conditions = s.Privileges.Conditions
	f.Privileges.Added = filesAdded(s.Privileges.Added)
	f.Accounts.Username = s.Accounts.Username
	f.VCenters = s.fileVCenters()
	f.Reconciled = filesReleased(s.ReconciledUpdates)
	return encoded(f)
}

// fileVCenters are the vCenters as they are written.
func (s *Spec) fileVCenters() (all []fileVCenter) {
	for _, vc := range s.VCenters {
		out := fileVCenter{Server: vc.Server, Port: vc.Port, Address: vc.Address}
		out.Accounts = byComponent(slices.DeleteFunc(component.Names(), func(c component.Name) bool { return vc.Accounts[c] == "" }),
			func(c component.Name) any { return fileAccount{vc.Accounts[c]} })
		for _, fd := range vc.FailureDomains {
			out.FailureDomains = append(out.FailureDomains, fileDomain(fd))
		}
		all = append(all, out)
	}
	return all
}

// encoded is a part of a provisioning file as it is written.
func encoded(part any) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(part); err != nil {
		// Strings, numbers and nodes made here are all that it holds, and a Buffer takes everything.
		panic(fmt.Sprintf("spec: encode: %v", err))
	}
	safe, err := term.SafeYAML(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("spec: encode: %v", err)) // it is the encoder's own text
	}
	return safe
}

// LinesBeside are the lines of a provisioning file with the fields that say something else than in before, of those that a state file
// may say, for somebody who writes them. A field is there as a whole, all components among it.
func (s *Spec) LinesBeside(before *Spec) []string {
	var part struct {
		Privileges struct {
			Matrix string       `yaml:"matrix,omitempty"`
			Added  *[]fileAdded `yaml:"added,omitempty"`
		} `yaml:"privileges,omitempty"`
		Components *yaml.Node     `yaml:"components,omitempty"`
		Reconciled *[]fileRelease `yaml:"reconciledAvailableUpdates,omitempty"`
	}
	if s.Privileges.Matrix != before.Privileges.Matrix {
		part.Privileges.Matrix = s.Privileges.Matrix
	}
	if len(privileges.Others(s.Privileges.Added, before.Privileges.Added))+len(privileges.Others(before.Privileges.Added, s.Privileges.Added)) > 0 {
		part.Privileges.Added = new(filesAdded(s.Privileges.Added))
	}
	if !maps.Equal(s.with(), before.with()) {
		part.Components = s.componentsNode()
	}
	if !slices.Equal(s.ReconciledUpdates, before.ReconciledUpdates) {
		part.Reconciled = new(filesReleased(s.ReconciledUpdates))
	}
	return linesOf(part)
}

// linesOf are the lines of a part of a provisioning file; none where it is empty.
func linesOf(part any) []string {
	text := strings.TrimSuffix(string(encoded(part)), "\n")
	if text == "{}" {
		return nil
	}
	return strings.Split(text, "\n")
}

// componentsNode are the components as they are written; nil for all five by default.
func (s *Spec) componentsNode() *yaml.Node {
	if len(s.Components) == 0 {
		return nil
	}
	return byComponent(s.named(), func(c component.Name) any {
		of := s.Components[c]
		return fileComponent{of.Principal, of.Group, of.Disabled}
	})
}

// byComponent is a mapping that keeps components in their usual order, which a map would sort away; nil for none.
func byComponent(names []component.Name, value func(component.Name) any) *yaml.Node {
	if len(names) == 0 {
		return nil
	}
	m := &yaml.Node{Kind: yaml.MappingNode}
	for _, c := range names {
		var key, node yaml.Node
		key.SetString(string(c))
		if err := node.Encode(value(c)); err != nil {
			panic(fmt.Sprintf("spec: encode: %v", err))
		}
		m.Content = append(m.Content, &key, &node)
	}
	return m
}
