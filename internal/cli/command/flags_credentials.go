package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Misread warns of text that ini.v1 reads differently than it looks.
func (f *Factory) Misread(file *credfile.File) {
	for _, m := range file.Misread() {
		if m.Severity == finding.Error {
			f.Warnf("%s:%d: %s %s", file.Path(), m.Line, m.Subject, m.Text)
		}
	}
}

// CredentialsFlag names the credentials file.
type CredentialsFlag struct {
	Path string // --credentials-file

	Level Origin
}

// Register adds the flag to cmd.
func (c *CredentialsFlag) Register(cmd *cobra.Command) {
	c.register(cmd,
		credfile.Variable+", else credentialsFile of the provisioning file, else ~/.vsphere/credentials")
}

// RegisterAlone is Register for a command that takes no provisioning file.
func (c *CredentialsFlag) RegisterAlone(cmd *cobra.Command) {
	c.register(cmd, credfile.Variable+", else ~/.vsphere/credentials")
}

func (c *CredentialsFlag) register(cmd *cobra.Command, fallback string) {
	FileFlag(cmd, &c.Path, CredentialsFileFlag, "credentials file (default "+fallback+")")
	c.Level = OriginOf(cmd.Flags())
	MarkSettings(cmd, CredentialsFileFlag)
}

// CredentialsFileFlag is the name of the flag for the credentials file.
const CredentialsFileFlag = "credentials-file"

// Resolve gives the path and its origin. of is the specification, nil = none. The nearest wins: the
// command line, the environment, the specification, then the settings file, which is for all.
func (c *CredentialsFlag) Resolve(s *term.Streams, of *spec.Spec) (path string, from installconfig.Origin, err error) {
	if c.Path != "" && c.Level.of(CredentialsFileFlag, true) != OfSettingsFile {
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

// CredentialsPath is Resolve, with a message if the installer has to be told: it reads only the
// variable and the default (openshift/installer@0f58e82ecf15,
// pkg/asset/installconfig/vsphere/credentials.go). It ignores tenants of Cluster API.
func (f *Factory) CredentialsPath(flag CredentialsFlag, of *spec.Spec) (path string, from installconfig.Origin, err error) {
	path, from, err = flag.Resolve(f.Streams, of)
	if err == nil && from == installconfig.OriginSpec && of.OfCluster() {
		f.Todof("credentialsFile of the specification: %s; openshift-install does not read it there: %s",
			path, script.Export(credfile.Variable+"="+path))
	}
	return path, from, err
}

// Missing reports whether there is no file at path, which credfile.Open takes for an empty one.
func Missing(path string) bool {
	if path == "-" {
		return false
	}
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// OpenCredentials opens the file and prints what should be known about it.
func (f *Factory) OpenCredentials(flag CredentialsFlag, of *spec.Spec) (*credfile.File, string, error) {
	path, _, err := f.CredentialsPath(flag, of)
	if err != nil {
		return nil, "", err
	}
	file, err := f.OpenAt(path, false)
	return file, path, err
}

// OpenAt is OpenCredentials for a known path; saves = the file will be saved.
func (f *Factory) OpenAt(path string, saves bool) (file *credfile.File, err error) {
	if saves {
		file, err = credfile.Open(path)
	} else {
		file, err = openToRead(f.Streams, path)
	}
	if err != nil {
		return nil, err
	}
	f.Warn(file.Warnings()...)
	return file, nil
}

// openToRead opens a credentials file only to read it; "-" is stdin.
func openToRead(s *term.Streams, path string) (*credfile.File, error) {
	if path != "-" {
		return credfile.OpenToRead(path)
	}
	data, err := files.UTF8(files.ReadFrom(s.In, "stdin", files.Text))
	if err == nil && len(bytes.TrimSpace(data)) == 0 {
		err = errors.New("stdin is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("credentials file -: %w", err)
	}
	return credfile.Parse(path, data)
}

// OpenNamed opens the credentials file of a flag, which must exist; nil = none is named.
func OpenNamed(s *term.Streams, flag, path string) (*credfile.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no file is a fine answer
	}
	if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, BadFlag(flag, "%s does not exist", path)
	}
	file, err := openToRead(s, path)
	if err != nil {
		return nil, BadFlag(flag, "%w", err)
	}
	return file, nil
}

// MainAccountForFlag names components that get the main account where they lack their own.
const MainAccountForFlag = "main-account-for"

// RegisterMainAccountFor adds --main-account-for to cmd, which no setting gives.
func RegisterMainAccountFor(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, MainAccountForFlag, nil,
		"components that get the main account in place of a missing one")
	MarkSettings(cmd, MainAccountForFlag)
	MarkCommandLineOnly(cmd, MainAccountForFlag)
	CompleteValues(cmd, MainAccountForFlag, component.Words(component.Names()))
}

// AllowDisabled allows to hand over accounts that the specification disables.
const AllowDisabled = "disabled"

// RegisterDisabled adds --allow to a command that hands over accounts; what is its output.
func (a *Allowed) RegisterDisabled(cmd *cobra.Command, what string) {
	a.Register(cmd, AllowDisabled+": write "+what+" with an account that the provisioning file disables", AllowDisabled)
}

// CheckDisabled refuses to write accounts that the specification disables, unless that is allowed.
// where lists the places that get such an account; s may be nil. others are commands for the rest.
func (a Allowed) CheckDisabled(f *Factory, s *spec.Spec, inv Invocation,
	where func(meant func(user string) bool) []string, others func(disabled []component.Name) []string,
) error {
	if s == nil {
		return nil
	}
	var names []component.Name
	var says []string
	whole := s.Whole()
	for _, c := range whole.ComponentNames() {
		if !whole.Disabled(c) {
			continue
		}
		places := where(whole.Account(c).MayBe)
		if len(places) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: the account of %s is disabled (components.%s.disabled), so nobody can log in with it", strings.Join(places, ", "), c, c)
		if a.Has(AllowDisabled) {
			f.Warnf("%s: '%s' enables it", text, f.CommandLine("users enable", inv.With("components", string(c))))
			continue
		}
		names, says = append(names, c), append(says, text)
	}
	if names == nil {
		return nil
	}
	hints := append([]string{"enable it: " + f.CommandLine("users enable", inv.With("components", component.Words(names)...))}, others(names)...)
	return hint.Wrap(fmt.Errorf("%s; nothing was written", strings.Join(says, "; ")),
		append(hints, "or write it all the same: add --"+allowFlag+" "+AllowDisabled)...)
}

// NoOthers is for [Allowed.CheckDisabled] if nothing can be written without the account.
func NoOthers([]component.Name) []string { return nil }
