package createall

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// ready refuses what would not be written in the end, before anything is done.
func (r *creation) ready() error {
	config, running := r.Invocation.Value("install-config"), r.Used.Cluster.Given()
	if r.OutputDir == "" {
		r.OutputDir = r.Wanted.Cluster
	}
	if err := r.needsOthers(); err != nil {
		return err
	}
	if config == "" || running {
		if err := r.handsOut(); err != nil || running {
			return err
		}
	}
	if config != "" {
		if err := openshift.CheckOpenShift(r.Wanted.Profile, "install-config"); err != nil {
			return hint.Wrap(err, "without --install-config create-all writes these secrets; nothing was done")
		}
		if r.Wanted.Profile != openshift.ProfileComponentScoped && !r.Wanted.Has(component.Installer) {
			return hint.Wrap(command.BadFlag("components", "openshift-install needs the account of installer; nothing was done"),
				"add it: "+r.CommandLine("create-all", r.Invocation.With("components", component.Words(append(r.Wanted.ComponentNames(), component.Installer))...), r.words()...))
		}
		file, err := r.ReadInstallConfig(config)
		if err == nil {
			err = file.CheckTopology()
		}
		if err != nil {
			return hint.Wrap(err, "openshift-install would refuse it: correct it first; nothing was done")
		}
		if err := r.rendering(config).CheckHolds(file, r.Wanted.ComponentNames()); err != nil {
			return hint.Wrap(err, "nothing was done")
		}
	}
	switch err, begun := writable(r.OutputDir), installconfig.CheckBegun(outputDirFlag, r.OutputDir); {
	case config != "" && begun != nil:
		return begun
	case err != nil:
		return hint.Wrap(command.BadFlag(outputDirFlag, "%w", err), "name another directory; nothing was done")
	case config != "" && command.SameFile(config, r.rendered()):
		return hint.Wrap(command.BadFlag(outputDirFlag, "%s has the install-config that is read; nothing was done", r.OutputDir), "name another directory")
	case config != "" && !r.Over.Force:
		return r.alone([]string{r.rendered()})
	}
	return nil
}

// needsOthers refuses a part of the vCenters while others have no accounts: the result holds those of all.
func (r *creation) needsOthers() error {
	whole := r.Wanted.Whole()
	if whole == r.Wanted {
		return nil
	}
	of, asked := r.Wanted.ComponentNames(), r.Job.Request
	if r.Invocation.Value("install-config") != "" && !r.Used.Cluster.Given() && r.onlyMain() {
		of = []component.Name{component.Installer}
	}
	for _, server := range lists.Without(command.Servers(whole), command.Servers(r.Wanted)) {
		for _, c := range of {
			if _, has := asked.Given.Works(whole, asked.Credentials, server, c); !has {
				return hint.Wrap(command.BadFlag("vcenters", "%s has no account of %s yet, and the result holds those of all vCenters; nothing was done", server, c),
					"make those of all: "+r.CommandLine("create-all", r.Invocation.Without("vcenters"), r.words()...),
					"or only these accounts: "+r.CommandLine("apply", r.Invocation))
			}
		}
	}
	return nil
}

// refused is what openshift-install refuses of the plan of an installation; nil = nothing.
func (r *creation) refused(p *plan.Plan, c *job.Change) error {
	for _, f := range p.Findings {
		remedies := f.Remedies
		switch {
		case r.Invocation.Value("install-config") == "" || r.Used.Cluster.Given() || len(remedies) == 0:
			continue
		case f.Code == finding.MissingTags && r.Options.Plan == "":
			remedies = []string{r.completes(c, r.Invocation.With("create-tags", "true"))}
		case f.Code != finding.MissingTags && f.Code != finding.InstallConfigRefused:
			continue
		}
		return hint.Wrap(fmt.Errorf("%s; nothing was done", f), remedies...)
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
		return []string{"or leave it out: " + r.CommandLine("create-all", r.Invocation.With("components", component.Words(others)...), r.words()...)}
	})
}

// errNotEmpty refuses a directory that has more than the result.
var errNotEmpty = errors.New("is not empty; nothing was done")

// alone refuses other files beside those of the result, or names them with --force: what an earlier
// run wrote is not part of it.
func (r *creation) alone(paths []string) error {
	var others []string
	there, err := os.ReadDir(r.OutputDir)
	for _, e := range there {
		path := filepath.Join(r.OutputDir, e.Name())
		theirs := r.Credentials != "" && slices.ContainsFunc(credfile.Beside(r.Credentials),
			func(own string) bool { return command.SameFile(own, path) })
		if !theirs && !slices.Contains(paths, path) {
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
		return hint.Wrap(command.BadFlag(outputDirFlag, "%s %w", r.OutputDir, errNotEmpty),
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
