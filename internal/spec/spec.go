// Package spec reads what to provision: a provisioning file, or the vCenters and failure domains of
// an install-config or a cluster's Infrastructure.
//
// The result has its defaults filled in, its inventory paths completed and its contradictions
// refused, so other packages never ask where a value came from. It never holds a password.
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

// Spec is what to provision for one cluster. Load leaves no default to fill in.
type Spec struct {
	APIVersion string
	Kind       string
	Cluster    string // names the accounts; empty only after FromServers
	Profile    string // a name of openshift.Profiles
	Privileges Privileges
	Accounts   Accounts
	Secrets    Secrets

	// CredentialsFile holds the passwords; "" = the environment or the default. After Load it is
	// absolute or begins with ~; see Locate and CredentialsPath.
	CredentialsFile string

	// LinkedGroup names clusters whose vCenters are linked, to be kept together in a fleet; or "".
	LinkedGroup string

	Components map[component.Name]Component // nil = those of every cluster; see ComponentNames
	VCenters   []VCenter                    // in the order of the file

	// ReconciledUpdates are the releases that the accounts already fit before an upgrade; see Prepare.
	ReconciledUpdates []release.Ref

	Before *Spec // what Narrow was given, nil where nothing was narrowed; see Whole

	Here map[component.Name]Component `json:"-"` // VCenter.Accounts of one vCenter; nil = for all
}

// Privileges says which rights are granted and how they are cut into roles.
type Privileges struct {
	Matrix     string   `yaml:"matrix"`                    // one of privileges.Names() or the path of a file
	RoleLayout string   `yaml:"roleLayout"`                // scope, component
	RolePrefix string   `yaml:"rolePrefix"`                // "openshift-"
	Conditions []string `yaml:"conditions,flow,omitempty"` // of privileges.Selectable(); see Selected

	Added []privileges.Added `yaml:"added,omitempty"` // what releases need beyond the matrix; see Fold
	Own   []privileges.Added `yaml:"-"`               // those of Added in the provisioning file itself
}

// Accounts says how the accounts that we create are named.
type Accounts struct {
	Username string `yaml:"username"` // template without a domain; see Account
}

// Secrets says which secrets a cluster has beside those of its profile, and how they are labelled.
type Secrets struct {
	CCOLabel   string   `yaml:"ccoLabel,omitempty"`   // for cloud-credential-operator; "" = openshift.LabelTrue
	RootSecret bool     `yaml:"rootSecret,omitempty"` // kube-system/vsphere-creds with the account of machine-api
	Extra      []string `yaml:"extra,flow,omitempty"` // of openshift.Extras()
}

// Component is what a specification says of one component.
type Component struct {
	Principal string `yaml:"principal,omitempty"` // existing name@domain or DOMAIN\name; "" = ours
	Group     *bool  `yaml:"group,omitempty"`     // whether Principal is a group; nil = unknown
	MemberOf  string `yaml:"memberOf,omitempty"`  // see Account.MemberOf
	Disabled  bool   `yaml:"disabled,omitempty"`  // our account is disabled; see CheckDisabled
	Name      string `yaml:"-"`                   // of our account; "" = as in Accounts.Username
}

// VCenter is one vCenter and what the cluster uses of it.
type VCenter struct {
	Server  string // host name or IP address as written: section name, secret key, TLS name
	Port    int    // 1 to 65535
	Address string // host:port to connect to instead, "" = Server and Port

	// Accounts are users of components on this vCenter: name@domain, DOMAIN\name or, in an
	// install-config, name. They precede Accounts.Username and Component.Principal. See Spec.Settle.
	Accounts map[component.Name]string

	FailureDomains []FailureDomain
}

// FailureDomain is a place for machines. All paths are absolute inventory paths ("/DC1/host/C1").
type FailureDomain struct {
	Name           string   `yaml:"name"`       // unique in the spec
	Datacenter     string   `yaml:"datacenter"` // "DC1" below the root folder, else "/folder/DC1"
	ComputeCluster string   `yaml:"computeCluster"`
	Datastore      string   `yaml:"datastore"`
	Networks       []string `yaml:"networks,flow"`
	Folder         string   `yaml:"folder,omitempty"`       // "" = made by the installer; never /<dc>/vm
	ResourcePool   string   `yaml:"resourcePool,omitempty"` // "" = the cluster's root pool
	Template       string   `yaml:"template,omitempty"`     // "" = the installer imports one
	HostGroup      bool     `yaml:"hostGroup,omitempty"`    // zones are host groups
	Region         string   `yaml:"region,omitempty"`       // name of the tag of its region; "" = none
	Zone           string   `yaml:"zone,omitempty"`         // likewise
}

// Load reads the provisioning file at path and its state file, if any. One error joins all
// problems, a line each: "spec.yaml:12: ...".
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

// Parse is Load of a text without a state file; name stands for the path.
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

// ParseInstallConfig reads the vCenters and failure domains of an install-config, also the
// deprecated flat fields (platform.vsphere.vCenter and so on). It ignores the rest; NameAccounts
// sets the users. name stands for the path in errors.
func ParseInstallConfig(name string, data []byte) (*Spec, error) {
	return parseInstallConfig(name, data, (*reader).configDomains)
}

// ParseServers is ParseInstallConfig without the failure domains, which may be incomplete.
func ParseServers(name string, data []byte) (*Spec, error) {
	return parseInstallConfig(name, data, (*reader).domainServers)
}

func parseInstallConfig(name string, data []byte, domains func(*reader, yamldoc.Object, []vcenterSource)) (*Spec, error) {
	r := &reader{Reader: yamldoc.New(name, yamldoc.Rules{FoldCase: true})} // like encoding/json
	var s *Spec
	if root := r.Document(data); root != nil {
		s = r.installConfig(root, domains)
	}
	return s.unless(r.Err())
}

// reader makes a spec of a file.
type reader struct {
	*yamldoc.Reader
	common error  // what is wrong in the file that this one names as common
	remedy string // of a missing cluster, behind a colon
}

// noCredentials is the remedy for a field that belongs into another file.
func noCredentials(field string) string {
	if slices.Contains([]string{"user", "username", "password"}, strings.ToLower(field)) {
		return "; a provisioning file holds no credentials"
	}
	return ""
}

// FromServers makes a spec of "host" or "host:port" names, enough for roles and users. For
// accounts, the caller sets Cluster and calls CheckAccounts.
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

// Selected returns the conditions that a spec decides: named ones, managed-storageclass unless
// switched off, and those of its profile. FailureDomain.Holds has the others.
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
	holds[privileges.ManagedStorageClass] = s.profile().Homes == nil && // an operator of OpenShift manages it
		!slices.Contains(s.Privileges.Conditions, noManagedStorageClass) // false switches it off
	return holds
}

// Conditions are those that hold where the topology decides some.
func (s *Spec) Conditions(topology map[privileges.Condition]bool) map[privileges.Condition]bool {
	holds, domains := s.Selected(), 0
	maps.Copy(holds, topology)
	for _, vc := range s.Whole().VCenters {
		domains += len(vc.FailureDomains)
	}
	holds[privileges.SeveralDomains] = domains > 1
	return holds
}

// Holds returns the conditions of the topology, such as folder-existing or folder-created.
func (f FailureDomain) Holds() map[privileges.Condition]bool {
	holds := map[privileges.Condition]bool{privileges.FolderExisting: true, privileges.PoolExisting: true}
	if f.Folder == "" {
		delete(holds, privileges.FolderExisting)
		holds[privileges.FolderCreated] = true
	}
	if f.ResourcePool == "" {
		delete(holds, privileges.PoolExisting)
		holds[privileges.PoolRoot] = true
	}
	if f.HostGroup {
		holds[privileges.HostGroup] = true
	}
	return holds
}

// DatacenterPath is the datacenter's absolute inventory path: "/DC1", "/folder/DC1".
func (f FailureDomain) DatacenterPath() string {
	return "/" + strings.TrimPrefix(f.Datacenter, "/")
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
