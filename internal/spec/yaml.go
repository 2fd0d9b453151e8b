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

// file is a provisioning file in the documented order of fields.
type file struct {
	APIVersion string        `yaml:"apiVersion"`
	Kind       string        `yaml:"kind"`
	Cluster    string        `yaml:"cluster"`
	Credfile   string        `yaml:"credentialsFile,omitempty"`
	Linked     string        `yaml:"linkedGroup,omitempty"`
	Profile    string        `yaml:"profile"`
	Privileges Privileges    `yaml:"privileges"`
	Accounts   Accounts      `yaml:"accounts"`
	Secrets    Secrets       `yaml:"secrets,omitempty"`
	Components *yaml.Node    `yaml:"components,omitempty"`
	VCenters   []fileVCenter `yaml:"vcenters"`
	Reconciled []release.Ref `yaml:"reconciledAvailableUpdates,omitempty"`
}

type fileVCenter struct {
	Server         string          `yaml:"server"`
	Port           int             `yaml:"port"`
	Address        string          `yaml:"address,omitempty"`
	Accounts       *yaml.Node      `yaml:"accounts,omitempty"`
	FailureDomains []FailureDomain `yaml:"failureDomains,omitempty"`
}

type fileAccount struct {
	User string `yaml:"user"`
}

// YAML is the spec as a provisioning file for Parse; after FromServers, set the cluster first.
func (s *Spec) YAML() []byte {
	return encoded(file{
		APIVersion: s.APIVersion, Kind: s.Kind, Cluster: s.Cluster, Credfile: s.CredentialsFile, Linked: s.LinkedGroup, Profile: s.Profile,
		Privileges: s.Privileges, Accounts: s.Accounts, Secrets: s.Secrets,
		Components: s.componentsNode(), VCenters: s.fileVCenters(), Reconciled: s.ReconciledUpdates,
	})
}

// fileVCenters are the vCenters as they are written.
func (s *Spec) fileVCenters() (all []fileVCenter) {
	for _, vc := range s.VCenters {
		out := fileVCenter{Server: vc.Server, Port: vc.Port, Address: vc.Address, FailureDomains: vc.FailureDomains}
		out.Accounts = byComponent(slices.DeleteFunc(component.Names(), func(c component.Name) bool { return vc.Accounts[c] == "" }),
			func(c component.Name) any { return fileAccount{vc.Accounts[c]} })
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

// Beside is the part of a provisioning file, in whole fields, that a state file could say and that
// differs from before; "" = none.
func (s *Spec) Beside(before *Spec) string {
	var part struct {
		Privileges struct {
			Matrix string              `yaml:"matrix,omitempty"`
			Added  *[]privileges.Added `yaml:"added,omitempty"`
		} `yaml:"privileges,omitempty"`
		Components *yaml.Node     `yaml:"components,omitempty"`
		Reconciled *[]release.Ref `yaml:"reconciledAvailableUpdates,omitempty"`
	}
	if s.Privileges.Matrix != before.Privileges.Matrix {
		part.Privileges.Matrix = s.Privileges.Matrix
	}
	if len(privileges.Others(s.Privileges.Added, before.Privileges.Added)) > 0 ||
		len(privileges.Others(before.Privileges.Added, s.Privileges.Added)) > 0 {
		part.Privileges.Added = &s.Privileges.Added
	}
	if !maps.Equal(s.with(), before.with()) {
		part.Components = s.componentsNode()
	}
	if !slices.Equal(s.ReconciledUpdates, before.ReconciledUpdates) {
		part.Reconciled = &s.ReconciledUpdates
	}
	return strings.TrimPrefix(string(encoded(part)), "{}\n")
}

// componentsNode are the components as they are written; nil for all five by default.
func (s *Spec) componentsNode() *yaml.Node {
	if len(s.Components) == 0 {
		return nil
	}
	return byComponent(s.named(), func(c component.Name) any { return s.Components[c] })
}

// byComponent is a mapping with components in their usual order; nil for none.
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
