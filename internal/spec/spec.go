// Package spec reads what is to be provisioned: the provisioning file, or the vCenters and failure domains of an install-config or of
// a running cluster's Infrastructure.
//
// Whatever the source, the result has its defaults filled in, its inventory paths completed and its contradictions refused, so
// that the floors above never ask where a value came from. It holds no password: those of an install-config are not even read.
package spec

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// What a provisioning file says of itself.
const (
	APIVersion = "ocp-vsphere-admin/v1"
	Kind       = "Provisioning"
)

// What a left-out field means.
const (
	DefaultProfile    = openshift.ProfileKubeSystem
	DefaultMatrix     = "default"
	DefaultRoleLayout = "scope"
	DefaultRolePrefix = "openshift-"
	DefaultUsername   = "ocp-{cluster}-{component}"
	DefaultPort       = 443
)

// Spec is what is to be provisioned for one cluster. After Load it is complete: no default is left to fill in.
type Spec struct {
	APIVersion string
	Kind       string
	Cluster    string // names the accounts; empty only after FromServers
	Profile    string // a name of openshift.Profiles
	Privileges Privileges
	Accounts   Accounts

	// CredentialsFile is where the accounts' passwords are; "" leaves it to the environment and the default. After Load it
	// is absolute or begins with ~; see Locate and CredentialsPath.
	CredentialsFile string

	// LinkedGroup names the clusters whose vCenters are linked with each other's, where these share no vCenter; "" = not said. Work on
	// a fleet keeps them together.
	LinkedGroup string

	Components map[component.Name]Component // nil = those of every cluster; see ComponentNames
	VCenters   []VCenter                    // in the order of the file

	// ReconciledUpdates are the releases that the accounts were made fit for ahead of an upgrade; see Prepare.
	ReconciledUpdates []release.Ref

	Before *Spec // what Narrow was given, nil where nothing was narrowed; see Whole

	Here map[component.Name]Component `json:"-"` // those of VCenter.Accounts, of one vCenter; nil = it is for all. See At and Settle
}

// Privileges says which rights are granted and how they are cut into roles.
type Privileges struct {
	Matrix     string   `yaml:"matrix"`                    // a name of privileges.Names() or the path of a file
	RoleLayout string   `yaml:"roleLayout"`                // scope, component
	RolePrefix string   `yaml:"rolePrefix"`                // "openshift-"
	Conditions []string `yaml:"conditions,flow,omitempty"` // of privileges.Selectable(), or no-managed-storageclass; see Selected

	Added []privileges.Added `yaml:"added,omitempty"` // what releases need beyond the matrix; see Fold
	Own   []privileges.Added `yaml:"-"`               // those of Added that a provisioning file on disk says itself, which no prune takes out of it
}

// Accounts says how the accounts that we create are named.
type Accounts struct {
	Username string `yaml:"username"` // template over {cluster}, {component} and {generation}, without a domain; see Account
}

// Component is what a specification says of one component.
type Component struct {
	Principal string `yaml:"principal,omitempty"` // an account or a group that exists, name@domain or DOMAIN\name; "" = we create an account
	Group     *bool  `yaml:"group,omitempty"`     // whether Principal is a group; nil = whichever the identity sources have
	Disabled  bool   `yaml:"disabled,omitempty"`  // the account that we create is disabled; see CheckDisabled
	Name      string `yaml:"-"`                   // without a domain, of the account that we create or may create; "" = as Accounts.Username says
}

// VCenter is one vCenter and what the cluster uses of it.
type VCenter struct {
	Server  string // host name or IP address as written: section name, secret key, TLS name
	Port    int    // 1 to 65535
	Address string // host:port to connect to instead, "" = Server and Port

	// Accounts are users that components have on this vCenter, name@domain, DOMAIN\name or, of an install-config, without a
	// domain; before Accounts.Username and Component.Principal. See Spec.Settle.
	Accounts map[component.Name]string

	FailureDomains []FailureDomain
}

// FailureDomain is a place for machines. All paths are absolute inventory paths ("/DC1/host/C1").
type FailureDomain struct {
	Name           string   `yaml:"name"`       // unique in the spec
	Datacenter     string   `yaml:"datacenter"` // "DC1" below the root folder, else "/folder/DC1"; see DatacenterPath
	ComputeCluster string   `yaml:"computeCluster"`
	Datastore      string   `yaml:"datastore"`
	Networks       []string `yaml:"networks,flow"`
	Folder         string   `yaml:"folder,omitempty"`       // "" = the installer creates one; may be /<dc>/vm, which carries no permission
	ResourcePool   string   `yaml:"resourcePool,omitempty"` // "" = the cluster's root pool, which carries no permission
	Template       string   `yaml:"template,omitempty"`     // "" = the installer imports one
	HostGroup      bool     `yaml:"hostGroup,omitempty"`    // zones are host groups
	Region         string   `yaml:"region,omitempty"`       // the name of a tag by which the cluster knows where its machines are; "" = not said
	Zone           string   `yaml:"zone,omitempty"`         // likewise
}

// Load reads the provisioning file at path, and the state file beside it, if there is one. All problems of either come in one error, a
// line each: "spec.yaml:12: ...".
func Load(path string) (*Spec, error) {
	d, err := readFiles(path)
	if err != nil {
		return nil, err
	}
	s, _, err := d.parse()
	if err != nil {
		return nil, err
	}
	s.Locate(filepath.Dir(path))
	return s, nil
}

// Parse is Load for text at hand, without a state file; name stands for the path in errors. CredentialsFile stays as it is written.
func Parse(name string, data []byte) (*Spec, error) {
	r := &reader{Reader: yamldoc.New(name, yamldoc.Rules{Closed: true, Unknown: noCredentials})}
	var s *Spec
	if root := r.Document(data); root != nil {
		s = r.provisioning(root)
	}
	err := r.Err()
	if r.common != nil {
		err = r.common
	}
	if s != nil { // it is a provisioning file, and something in it is wrong
		err = hint.Wrap(err, SeeSchema)
	}
	return s.unless(err)
}

// SeeSchema is the hint to what a provisioning file may say.
const SeeSchema = "'ocp-vsphere-admin spec schema' describes every field"

// ParseInstallConfig reads the vCenters and failure domains of an install-config; the deprecated flat fields
// (platform.vsphere.vCenter and so on) are understood too. Everything else in it is ignored, credentials above all: see
// NameAccounts. name stands for the path in errors.
func ParseInstallConfig(name string, data []byte) (*Spec, error) {
	return parseInstallConfig(name, data, (*reader).configDomains)
}

// ParseServers is ParseInstallConfig without the failure domains, which may be incomplete but for their vCenters.
func ParseServers(name string, data []byte) (*Spec, error) {
	return parseInstallConfig(name, data, (*reader).domainServers)
}

func parseInstallConfig(name string, data []byte, domains func(*reader, yamldoc.Object, []vcenterSource)) (*Spec, error) {
	r := &reader{Reader: yamldoc.New(name, yamldoc.Rules{FoldCase: true})} // the installer reads with encoding/json
	var s *Spec
	if root := r.Document(data); root != nil {
		s = r.installConfig(root, domains)
	}
	return s.unless(r.Err())
}

// reader makes a spec of a file.
type reader struct {
	*yamldoc.Reader
	common error // what is wrong in the file that this one names as common
}

// noCredentials is the remedy for a field that belongs into another file.
func noCredentials(field string) string {
	if slices.Contains([]string{"user", "username", "password"}, strings.ToLower(field)) {
		return "; a provisioning file holds no credentials"
	}
	return ""
}

// FromServers makes a spec of "host" or "host:port" names alone: enough for roles and users. It has no failure domain and no
// cluster; who needs accounts sets Cluster and asks CheckAccounts.
func FromServers(servers []string) (*Spec, error) {
	if len(servers) == 0 {
		return nil, errors.New("no vCenter given")
	}
	s := blank()
	var errs []error
	seen := map[string]bool{}
	for _, name := range servers {
		vc, err := fromServer(name)
		if err == nil && seen[serverKey(vc.Server)] {
			err = fmt.Errorf("vCenter %s is named twice", hint.Quote(vc.Server))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		seen[serverKey(vc.Server)] = true
		s.VCenters = append(s.VCenters, vc)
	}
	return s.unless(errors.Join(errs...))
}

// Selected says which of the conditions that a spec decides hold: those it names, managed-storageclass unless it names
// no-managed-storageclass, and those that its profile implies. What the topology decides is FailureDomain.Holds.
func (s *Spec) Selected() map[privileges.Condition]bool {
	holds := map[privileges.Condition]bool{}
	for _, c := range s.Privileges.Conditions {
		if c != noManagedStorageClass {
			holds[privileges.Condition(c)] = true
		}
	}
	for _, c := range s.profile().Implies {
		holds[c] = true
	}
	holds[privileges.ManagedStorageClass] = !slices.Contains(s.Privileges.Conditions, noManagedStorageClass) // false switches it off
	return holds
}

// Conditions are those that hold where the topology decides some.
func (s *Spec) Conditions(topology map[privileges.Condition]bool) map[privileges.Condition]bool {
	holds := s.Selected()
	maps.Copy(holds, topology)
	return holds
}

// Holds says which of the conditions that the topology decides hold here: one of folder-existing and folder-created, one of
// pool-existing and pool-root, and host-group.
func (fd FailureDomain) Holds() map[privileges.Condition]bool {
	holds := map[privileges.Condition]bool{privileges.FolderExisting: true, privileges.PoolExisting: true}
	if fd.Folder == "" {
		delete(holds, privileges.FolderExisting)
		holds[privileges.FolderCreated] = true
	}
	if fd.ResourcePool == "" {
		delete(holds, privileges.PoolExisting)
		holds[privileges.PoolRoot] = true
	}
	if fd.HostGroup {
		holds[privileges.HostGroup] = true
	}
	return holds
}

// DatacenterPath is the datacenter's absolute inventory path: "/DC1", "/folder/DC1".
func (fd FailureDomain) DatacenterPath() string {
	return "/" + strings.TrimPrefix(fd.Datacenter, "/")
}

func blank() *Spec {
	return &Spec{
		APIVersion: APIVersion, Kind: Kind, Profile: DefaultProfile,
		Privileges: Privileges{Matrix: DefaultMatrix, RoleLayout: DefaultRoleLayout, RolePrefix: DefaultRolePrefix},
		Accounts:   Accounts{Username: DefaultUsername},
	}
}

func (s *Spec) unless(err error) (*Spec, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
