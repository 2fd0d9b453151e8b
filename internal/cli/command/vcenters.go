package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const vcentersFlag = "vcenters"

// SpacedVCenters accepts names of --vcenters separated by spaces: --vcenters "a b" is a,b.
func SpacedVCenters(flags *pflag.FlagSet) error {
	fl := flags.Lookup(vcentersFlag)
	if fl == nil {
		return nil
	}
	list, isList := fl.Value.(pflag.SliceValue)
	if !isList || !strings.ContainsAny(fl.Value.String(), " \t\n") {
		return nil
	}
	var names []string
	for _, word := range list.GetSlice() {
		if parts := strings.Fields(word); len(parts) > 0 {
			names = append(names, parts...)
		} else {
			names = append(names, word) // what is wrong with it is said as of any name
		}
	}
	return list.Replace(names)
}

// NamedByScripts adds to the error of a missing vCenter how to name those of variables of govc or
// scripts, which are not read. It shows only the host of GOVC_URL, which may hold a password.
func NamedByScripts(err error, getenv func(string) string) error {
	if !errors.Is(err, errNoSource) {
		return err
	}
	hints := errNoSource.(interface{ Hints() []string }).Hints() //nolint:errcheck,forcetypeassert // made above
	for _, v := range []struct {
		name  string
		names []string
	}{{"VCENTERS", strings.Fields(strings.ReplaceAll(getenv("VCENTERS"), ",", " "))}, {"GOVC_URL", govcHost(getenv("GOVC_URL"))}} {
		if _, err := spec.FromServers(v.names); err == nil {
			hints = append(hints, fmt.Sprintf("%s is not read; what it names: --%s %s", v.name, vcentersFlag, script.Word(strings.Join(v.names, ","))))
		}
	}
	return hint.Wrap(err, hints...)
}

// govcHost is the host, with its port, of a URL of govc:
// [https://][user[:password]@]host[:port][/sdk]. All before the last @ is dropped.
func govcHost(url string) []string {
	if i := strings.LastIndexByte(url, '@'); i >= 0 {
		url = url[i+1:]
	} else if _, after, found := strings.Cut(url, "://"); found {
		url = after
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	return strings.Fields(url)
}

// TopologyFlags are assumptions about failure domains that are not known yet.
type TopologyFlags struct {
	Folder    string // existing, created
	Pool      string // existing, root
	HostGroup bool
	Template  bool
}

// The words of --folder and --pool.
const (
	topologyExisting = "existing"
	TopologyCreated  = "created"
	topologyRoot     = "root"
)

// Register adds the flags to cmd.
func (t *TopologyFlags) Register(cmd *cobra.Command) {
	t.Folder, t.Pool = topologyExisting, topologyRoot
	p := cmd.Flags()
	RegisterChoice(cmd, &t.Folder, "folder", "without failure domains: the VM folder exists, or the installer creates it", []string{topologyExisting, TopologyCreated})
	RegisterChoice(cmd, &t.Pool, "pool", "without failure domains: the machines have an existing resource pool, or use the cluster's root pool", []string{topologyExisting, topologyRoot})
	p.BoolVar(&t.HostGroup, "host-groups", false, "without failure domains: zones are host groups of one cluster")
	p.BoolVar(&t.Template, "template", false, "without failure domains: the template is outside the VM folder")
	MarkSettings(cmd, TopologyWords()...)
}

// TopologyWords are the names of the flags.
func TopologyWords() []string { return []string{"folder", "pool", "host-groups", "template"} }

// Assumed is what the flags stand for.
func (t *TopologyFlags) Assumed() privileges.RoleSetOptions {
	return privileges.RoleSetOptions{Template: t.Template, Holds: map[privileges.Condition]bool{
		privileges.FolderExisting: t.Folder == topologyExisting,
		privileges.FolderCreated:  t.Folder == TopologyCreated,
		privileges.PoolExisting:   t.Pool == topologyExisting,
		privileges.PoolRoot:       t.Pool == topologyRoot,
		privileges.HostGroup:      t.HostGroup,
	}}
}

// Renders is the command that puts accounts of the credentials file into a copy of the
// install-config, without components only the main one; "" = the invocation names none, or stdin.
func (f *Factory) Renders(inv Invocation, components bool) string {
	config := inv["install-config"]
	if len(config) == 0 || config[0] == "-" {
		return ""
	}
	own := []string{config[0], "--out", Rendered(config[0])}
	if !components {
		own = append(own, "--components", string(component.Installer))
	}
	return f.CommandLine("install-config render", inv.Only(CredentialsFileFlag, "file"), own...)
}

// Files is the command that writes a source as a provisioning file of cluster, and that file.
// Without a command the file exists; without a file the source is one, or names no cluster.
func (f *Factory) Files(cluster string, inv Invocation) (line, file string) {
	for _, source := range Sources()[1:] {
		if from := inv.Value(source); from != "" && cluster != "" {
			file = cluster + ".yaml"
			if Missing(file) {
				line = f.CommandLine("init", nil, "--no-input", "--"+source, from, "--out", file)
			}
		}
	}
	return line, file
}

// RecordsDisabled is the command that records accounts of cluster as disabled in its provisioning
// file, which is written first if the source is none.
func (f *Factory) RecordsDisabled(cluster string, inv Invocation, components ...string) string {
	line, file := f.Files(cluster, inv)
	if file != "" {
		inv = inv.Without(Sources()...).With("file", file)
	}
	if line != "" {
		line += " && "
	}
	return line + f.Line("users disable", inv, "--components", strings.Join(components, ","))
}

// Rendered is the path of the copy of an install-config that [Factory.Renders] makes.
func Rendered(config string) string {
	return strings.TrimSuffix(config, filepath.Ext(config)) + "-rendered.yaml"
}
