package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdCredentials(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "credentials",
		Short:   "Read, check and fill the credentials file",
		GroupID: groupOutput,
		Long: text(`
			The credentials file is an INI file with a section per vCenter, and in it a user and a password per component. Its
			path is
			$` + credfile.Variable + ` or ~/.vsphere/credentials, as for openshift-install. A provisioning file can name
			another path (credentialsFile), which the variable overrides; openshift-install does not read that path unless you
			set the
			variable.`),
	}
	cmd.AddCommand(
		newCmdCredentialsShow(f, nil),
		newCmdCredentialsValidate(f, nil),
		newCmdCredentialsImport(f, nil),
		newCmdCredentialsExport(f, nil),
		newCmdCredentialsResolve(f, nil),
	)
	return cmd
}

// credentialsFlag says which credentials file is meant.
type credentialsFlag struct {
	Path string // --credentials-file

	level origin
}

// Register adds the flag to cmd.
func (c *credentialsFlag) Register(cmd *cobra.Command) {
	c.register(cmd, credfile.Variable+", else credentialsFile of the provisioning file, else ~/.vsphere/credentials")
}

// registerAlone is Register for a command that takes no provisioning file.
func (c *credentialsFlag) registerAlone(cmd *cobra.Command) {
	c.register(cmd, credfile.Variable+", else ~/.vsphere/credentials")
}

func (c *credentialsFlag) register(cmd *cobra.Command, fallback string) {
	cmd.Flags().StringVar(&c.Path, credentialsFileFlag, "", "credentials file (default "+fallback+")")
	_ = cmd.MarkFlagFilename(credentialsFileFlag)
	c.level = originOf(cmd.Flags())
	markSettings(cmd, credentialsFileFlag)
}

const credentialsFileFlag = "credentials-file"

// Resolve gives the path, and what named it. of is the specification that is worked with, nil if there is none. The
// nearest wins: the command line, then the environment, then the specification; the settings file, which is there for all
// specifications, after it.
func (c *credentialsFlag) Resolve(s *term.Streams, of *spec.Spec) (path string, from installconfig.Origin, err error) {
	if c.Path != "" && c.level.of(credentialsFileFlag, true) != ofSettingsFile {
		return c.Path, installconfig.OriginFlag, nil
	}
	if path := s.Getenv(credfile.Variable); path != "" {
		return path, installconfig.OriginVariable, nil
	}
	if of != nil && of.CredentialsFile != "" {
		path, err := of.CredentialsPath(s.Home)
		return path, installconfig.OriginSpec, err
	}
	if c.Path != "" {
		return c.Path, installconfig.OriginFlag, nil
	}
	if s.Home == "" {
		return "", "", hint.Errorf("set --credentials-file", "no path for the credentials file: neither HOME nor %s is set", credfile.Variable)
	}
	return credfile.DefaultPath(s.Getenv, s.Home), installconfig.OriginDefault, nil
}

// credentialsPath is Resolve, and says where the installer has to be told. It reads the variable and the default alone
// (openshift/installer@0f58e82ecf15, pkg/asset/installconfig/vsphere/credentials.go).
func (f *Factory) credentialsPath(flag credentialsFlag, of *spec.Spec) (path string, from installconfig.Origin, err error) {
	path, from, err = flag.Resolve(f.Streams, of)
	if err == nil && from == installconfig.OriginSpec {
		f.Infof("credentialsFile of the specification: %s; openshift-install does not read it there: export %s=%s",
			path, credfile.Variable, script.Word(path))
	}
	return path, from, err
}

// missing reports whether there is no file at path; credfile.Open takes that for an empty one.
func missing(path string) bool {
	if path == "-" {
		return false
	}
	_, err := os.Lstat(path) //nolint:gosec // the person's own choice of a file
	return errors.Is(err, fs.ErrNotExist)
}

// openCredentials opens the file and says on stderr what should be known about it.
func (f *Factory) openCredentials(flag credentialsFlag, of *spec.Spec) (*credfile.File, string, error) {
	path, _, err := f.credentialsPath(flag, of)
	if err != nil {
		return nil, "", err
	}
	file, err := f.openAt(path, false)
	return file, path, err
}

// openAt is openCredentials for a path that is known, and for a file that will be saved.
func (f *Factory) openAt(path string, saves bool) (file *credfile.File, err error) {
	if saves {
		file, err = credfile.Open(path)
	} else {
		file, err = openToRead(f.Streams, path)
	}
	if err != nil {
		return nil, err
	}
	f.warn(file.Warnings()...)
	return file, nil
}

// openToRead opens a credentials file that is not saved, "-" is stdin.
func openToRead(s *term.Streams, path string) (*credfile.File, error) {
	if path != "-" {
		return credfile.OpenToRead(path)
	}
	data, err := files.ReadFrom(s.In, "stdin", files.Text)
	if err == nil && len(bytes.TrimSpace(data)) == 0 {
		err = errors.New("stdin is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("credentials file -: %w", err)
	}
	return credfile.Parse(path, data)
}

// openNamed opens a file of the same form that a flag names, which has to be there; nil where it names none.
func openNamed(s *term.Streams, flag, path string) (*credfile.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no file is a fine answer
	}
	if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, badFlag(flag, "%s does not exist", path)
	}
	file, err := openToRead(s, path)
	if err != nil {
		return nil, badFlag(flag, "%w", err)
	}
	return file, nil
}
