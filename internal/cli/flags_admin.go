package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The variables of the administrator's own credentials. They belong to no flag: no flag holds a password.
const (
	envAdminUser     = envPrefix + "USERNAME"
	envAdminPassword = envPrefix + "PASSWORD"
	govcUser         = "GOVC_USERNAME"
	govcPassword     = "GOVC_PASSWORD"
)

// adminFlags are how the administrator's credentials are given.
type adminFlags struct {
	Credentials  string // --admin-credentials
	User         string // --admin-user
	PasswordFile string // --admin-password-file, - for stdin

	level origin
}

// The flags' names.
const (
	adminCredentialsFlag  = "admin-credentials" //nolint:gosec // the name of a flag
	adminUserFlag         = "admin-user"
	adminPasswordFileFlag = "admin-password-file"
)

// Register adds the flags to cmd.
func (a *adminFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&a.Credentials, adminCredentialsFlag, "", "INI file with the administrator's user and password, a section per vCenter, mode 0600 (- for stdin)")
	p.StringVar(&a.User, adminUserFlag, "", "administrator to log in as (also: "+envAdminUser+")")
	p.StringVar(&a.PasswordFile, adminPasswordFileFlag, "", "file with the administrator's password (- for stdin; also: "+envAdminPassword+")")
	_ = cmd.MarkFlagFilename(adminCredentialsFlag)
	_ = cmd.MarkFlagFilename(adminPasswordFileFlag)
	markAbout(cmd, adminPasswordFileFlag, adminUserFlag)
	markSettings(cmd, adminCredentialsFlag, adminUserFlag, adminPasswordFileFlag)
	a.level = originOf(p)
}

// Resolve reads the files and variables now, so that a wrong one is said before any vCenter is called. A user who is named
// nearer than the file is everybody's. Else, per vCenter, the first source that names a user decides, in the order of the
// flags' help: a password of another source is never tried with it.
func (a *adminFlags) Resolve(s *term.Streams) (*administrators, error) {
	a = a.nearest(s)
	file, err := openNamed(s, adminCredentialsFlag, a.Credentials)
	if err != nil {
		return nil, err
	}
	password, err := a.password(s)
	if err != nil {
		return nil, err
	}
	if a.User == "" && a.PasswordFile != "" && s.Getenv(envAdminUser) == "" {
		return nil, hint.Errorf("add --admin-user, or set "+envAdminUser, "--admin-password-file: --admin-user is required")
	}
	r := &administrators{streams: s, file: file}
	env := func(name string) secret.Secret { return secret.New(s.Getenv(name)) }
	if ofEnv := s.Getenv(envAdminUser); a.PasswordFile == "" && (a.User == "" || ofEnv == "" || ofEnv == a.User) {
		password = env(envAdminPassword)
	}
	r.login = adminLogin{cmp.Or(a.User, s.Getenv(envAdminUser)), password}
	if r.login.user == "" {
		r.login = adminLogin{s.Getenv(govcUser), env(govcPassword)}
	}
	return r, nil
}

// nearest is a without what a nearer source of the same silences: the file by a user, the file of a password by the
// variable that holds one.
func (a *adminFlags) nearest(s *term.Streams) *adminFlags {
	at := func(flag, value string) level {
		if value == "" {
			return ofDefault
		}
		return a.level.of(flag, true)
	}
	out := *a
	password := at(adminPasswordFileFlag, a.PasswordFile)
	login := max(at(adminUserFlag, a.User), password)
	ofEnv := s.Getenv(envAdminUser)
	if ofEnv != "" {
		login = max(login, ofEnvironment)
	}
	if login > at(adminCredentialsFlag, a.Credentials) {
		out.Credentials = ""
	}
	mine := a.User == "" || ofEnv == "" || ofEnv == a.User
	if mine && s.Getenv(envAdminPassword) != "" && password < ofEnvironment {
		out.PasswordFile = ""
	}
	return &out
}

func (a *adminFlags) password(s *term.Streams) (secret.Secret, error) {
	var data []byte
	var err error
	switch a.PasswordFile {
	case "":
		return secret.Secret{}, nil
	case "-":
		data, err = files.ReadFrom(s.In, "stdin", files.Line)
	default:
		data, err = files.ReadPrivate(a.PasswordFile, files.Line)
	}
	if err != nil {
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%w", err)
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	switch {
	case line == "":
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%s is empty", a.PasswordFile)
	case len(line) > credfile.MaxValue:
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%s is too long for a password: %d bytes, at most %d", a.PasswordFile, len(line), credfile.MaxValue)
	case strings.ContainsAny(line, "\r\n"):
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%s has more than one line", a.PasswordFile)
	}
	return secret.New(line), nil
}
