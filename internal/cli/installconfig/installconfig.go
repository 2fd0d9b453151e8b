// Package installconfig is the noun install-config: it puts accounts into one and takes them out.
package installconfig

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "install-config",
		Short:   "Put accounts into an install-config.yaml, or take them out",
		GroupID: command.GroupOutput,
		Long: command.Text(`
			openshift-install reads component accounts from componentCredentials of each vCenter, if it has the feature. Two
			designs exist, neither of them released: profile kube-system and profile component-scoped. Only lines that hold
			accounts are changed: order, comments, empty lines and quotes are kept.`),
	}
	cmd.AddCommand(
		newCmdRender(f, nil),
		newCmdExtract(f, nil),
		newCmdValidate(f, nil),
	)
	return cmd
}

type output struct {
	Out     string // --out; empty = stdout
	InPlace bool   // --in-place
	Over    command.OverwriteFlag
	Flag    string // that names Out; empty = --out
}

func (o *output) register(cmd *cobra.Command, what string) {
	command.FileFlag(cmd, &o.Out, "out",
		"write "+what+" to this file, with mode 0600, instead of stdout", "yaml", "yml")
	cmd.Flags().BoolVar(&o.InPlace, "in-place", false, "write "+what+" over FILE, with mode 0600")
	o.Over.Register(cmd)
	cmd.MarkFlagsMutuallyExclusive("out", "in-place")
	command.MarkCommandLineOnly(cmd, "out", "in-place") // the plan's --out is no place for passwords
}

func (o *output) none() bool { return o.Out == "" && !o.InPlace }

// check refuses to write over stdin, and over a file without --force.
func (o *output) check(file string) error {
	if o.InPlace && file == "-" {
		return hint.Errorf("write to stdout, or set --out", "--in-place: stdin cannot be written to")
	}
	if filepath.Base(o.Out) == "install-config.yaml" {
		if err := CheckBegun("out", filepath.Dir(o.Out)); err != nil {
			return err
		}
	}
	return o.Over.Check("out", o.Out)
}

// CheckBegun refuses a directory in which openshift-install has begun: with another install-config
// it goes on from what it finds, or begins anew and forgets what it made.
func CheckBegun(flag, dir string) error {
	for _, name := range []string{"metadata.json", "auth/kubeconfig", ".openshift_install_state.json"} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return hint.Wrap(command.BadFlag(flag, "%s is of an installation that openshift-install has begun; nothing was done", path),
				"name another directory", "or end that installation first: openshift-install destroy cluster --dir "+script.Word(dir))
		}
	}
	return nil
}

// write writes the text atomically.
func write(f *command.Factory, to output, file string, text []byte) error {
	path, flag := to.Out, cmp.Or(to.Flag, "out")
	if to.InPlace {
		target, err := filepath.EvalSymlinks(file) // a link stays one
		if err != nil {
			return command.BadFlag("in-place", "%w", err)
		}
		path, flag, to.Over.Force = target, "in-place", true
	}
	if path == "" {
		_, err := f.Out.Write(text)
		return err
	}
	wrote, err := to.Over.PrivateText(flag, path, text)
	switch {
	case err != nil:
		return err
	case wrote:
		f.Infof("wrote %s (mode 0600)", path)
	default:
		f.Infof("%s is up to date", path)
	}
	return nil
}
