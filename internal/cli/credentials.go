package cli

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdCredentials(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "credentials",
		Short:   "Read, check and fill the credentials file that the installer reads",
		GroupID: groupOutput,
		Long: text(`
			The credentials file is INI, with a section per vCenter and a user and a password per component in it. It is
			$` + credfile.Variable + ` or ~/.vsphere/credentials, as for openshift-install.`),
	}
	cmd.AddCommand(
		newCmdCredentialsShow(f, nil),
		newCmdCredentialsValidate(f, nil),
		newCmdCredentialsImport(f, nil),
		newCmdCredentialsResolve(f, nil),
	)
	return cmd
}

// credentialsFlag says which credentials file is meant.
type credentialsFlag struct {
	Path string // --credentials-file
}

// Register adds the flag to cmd.
func (c *credentialsFlag) Register(cmd *cobra.Command) {
	registerCredentialsFile(cmd, &c.Path)
}

// Resolve gives the path.
func (c *credentialsFlag) Resolve(s *term.Streams) (string, error) {
	if c.Path != "" {
		return c.Path, nil
	}
	if s.Home == "" && s.Getenv(credfile.Variable) == "" {
		return "", hint.Errorf("give it with --credentials-file", "the credentials file has no place: neither HOME nor %s is set", credfile.Variable)
	}
	return credfile.DefaultPath(s.Getenv, s.Home), nil
}

// missing tells whether there is no file at path; credfile.Open takes that for an empty one.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// openCredentials opens the file and says on stderr what should be known about it.
func (f *Factory) openCredentials(flag credentialsFlag) (*credfile.File, string, error) {
	path, err := flag.Resolve(f.Streams)
	if err != nil {
		return nil, "", err
	}
	file, err := credfile.Open(path)
	if err != nil {
		return nil, path, err
	}
	for _, w := range file.Warnings() {
		f.Warnf("%s", w)
	}
	return file, path, nil
}
