package createall

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// ready refuses what would not be written in the end, before anything is done.
func (r *creation) ready() error {
	config, running := r.Invocation.Value("install-config"), r.Used.Cluster.Given()
	if config == "" || running {
		if err := r.handsOut(); err != nil || running {
			return err
		}
	}
	if r.OutputDir == "" {
		r.OutputDir = r.Wanted.Cluster
	}
	if config != "" {
		if r.Wanted.Profile != openshift.ProfileComponentScoped && !r.Wanted.Has(component.Installer) {
			return hint.Wrap(command.BadFlag("components", "openshift-install needs the account of installer; nothing was done"),
				"add it: "+r.CommandLine("create-all", r.Invocation.With("components", component.Words(append(r.Wanted.ComponentNames(), component.Installer))...)))
		}
		file, err := r.ReadInstallConfig(config)
		if err == nil {
			err = file.CheckTopology()
		}
		if err != nil {
			return hint.Wrap(err, "openshift-install would refuse it: correct it first; nothing was done")
		}
		if err := r.namesFolders(); err != nil {
			return err
		}
	}
	switch err := writable(r.OutputDir); {
	case err != nil:
		return hint.Wrap(command.BadFlag(outputDirFlag, "%w", err), "name another directory; nothing was done")
	case config != "" && command.SameFile(config, r.rendered()):
		return hint.Wrap(command.BadFlag(outputDirFlag, "%s has the install-config that is read; nothing was done", r.OutputDir), "name another directory")
	case config != "" && !r.Over.Force:
		return r.alone([]string{r.rendered()})
	}
	return nil
}

// namesFolders refuses to make a folder that the install-config does not name: openshift-install
// makes another one, below which the accounts have no rights.
func (r *creation) namesFolders() error {
	for _, v := range r.Wanted.VCenters {
		for _, fd := range v.FailureDomains {
			if r.Run.CreateFolders && fd.Folder == "" {
				return hint.Wrap(command.BadFlag("create-folders", "failure domain %s has no folder: "+
					"openshift-install would make one of its own; nothing was done", hint.Quote(fd.Name)),
					"write it below topology of the install-config: folder: "+
						path.Join(fd.DatacenterPath(), "vm", r.Wanted.Cluster),
					"or omit --create-folders: the datacenter carries the folder grants then")
			}
		}
	}
	return nil
}

// handsOut refuses accounts that no secret may hold, and a profile whose secrets are not known.
func (r *creation) handsOut() error {
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	if profile.Requests {
		return hint.Wrap(fmt.Errorf("create-all does not know which secrets profile %s needs; nothing was done", profile.Name),
			"make the accounts: "+r.CommandLine("apply", r.Invocation),
			"then write the secrets of its CredentialsRequests: "+r.CommandLine("secrets emit", r.Invocation, "--credentials-requests", "DIR"))
	}
	return r.Allow.CheckDisabled(r.Options.Factory, r.Wanted, r.Invocation, func(meant func(user string) bool) []string {
		for _, c := range r.Wanted.ComponentNames() {
			if profile.Writes(c) && meant(r.Wanted.Account(c).In("")) {
				return []string{"create-all"}
			}
		}
		return nil
	}, func(disabled []component.Name) []string {
		others := lists.Without(r.Wanted.ComponentNames(), disabled)
		if len(others) == 0 {
			return nil
		}
		return []string{"or leave it out: " + r.CommandLine("create-all", r.Invocation.With("components", component.Words(others)...))}
	})
}

// alone refuses other files beside those of the result, or names them with --force: what an earlier
// run wrote is not part of it.
func (r *creation) alone(paths []string) error {
	var others []string
	there, err := os.ReadDir(r.OutputDir)
	for _, e := range there {
		if path := filepath.Join(r.OutputDir, e.Name()); !slices.Contains(paths, path) {
			others = append(others, path)
		}
	}
	switch {
	case err != nil && !os.IsNotExist(err):
		return command.BadFlag(outputDirFlag, "%w", err)
	case len(others) == 0:
	case r.Over.Force:
		r.Warnf("not part of this result, and to be removed if an earlier run wrote it: %s", strings.Join(others, ", "))
	default:
		return hint.Wrap(command.BadFlag(outputDirFlag, "%s is not empty; nothing was done", r.OutputDir),
			"name another directory, or overwrite the result of an earlier run: --force")
	}
	return nil
}

// writable tries to write into a directory, or into that in which it will be made.
func writable(dir string) error {
	for command.Missing(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	tried, err := os.MkdirTemp(dir, ".create-all-")
	if err != nil {
		return err
	}
	return os.Remove(tried)
}
