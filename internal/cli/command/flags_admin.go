package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The variables of the administrator's credentials. No flag holds a password.
const (
	EnvAdminUser     = EnvPrefix + "USERNAME"
	EnvAdminPassword = EnvPrefix + "PASSWORD"
	GovcUser         = "GOVC_USERNAME"
	GovcPassword     = "GOVC_PASSWORD"
)

// AdminFlags are the flags of the administrator's credentials.
type AdminFlags struct {
	Command      string // --admin-command
	Credentials  string // --admin-credentials
	User         string // --admin-user
	PasswordFile string // --admin-password-file, - for stdin

	Level Origin
}

// The names of the flags.
const (
	adminCommandFlag      = "admin-command"
	adminCredentialsFlag  = "admin-credentials" //nolint:gosec // the name of a flag
	adminUserFlag         = "admin-user"
	adminPasswordFileFlag = "admin-password-file"
)

// Register adds the flags to cmd.
func (a *AdminFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	FileFlag(cmd, &a.Credentials, adminCredentialsFlag, "INI file with the administrator's user and password, a section per vCenter, mode 0600 (- for stdin)")
	p.StringVar(&a.Command, adminCommandFlag, "", "program, with its words, that prints the administrator's login as JSON; it is run without a shell, for each vCenter")
	p.StringVar(&a.User, adminUserFlag, "", "administrator to log in as (also: "+EnvAdminUser+")")
	FileFlag(cmd, &a.PasswordFile, adminPasswordFileFlag,
		"file with the administrator's password (- for stdin; also: "+EnvAdminPassword+")")
	_ = p.SetAnnotation(adminPasswordFileFlag, aboutFlag, []string{adminUserFlag})
	for _, other := range []string{adminCredentialsFlag, adminUserFlag, adminPasswordFileFlag} {
		cmd.MarkFlagsMutuallyExclusive(adminCommandFlag, other)
	}
	MarkSettings(cmd, adminCommandFlag, adminCredentialsFlag, adminUserFlag, adminPasswordFileFlag)
	a.Level = OriginOf(p)
}

// Resolve reads files and variables, so that errors come before any vCenter is called. A user named
// nearer than the file is for all vCenters; else the first source with a user decides for each, in
// the order of the help, and no other password is tried with it. used are the vCenters whose
// sections of the file count; none = all. --admin-command excludes the rest and runs later.
func (a *AdminFlags) Resolve(f *Factory, used ...string) (*Administrators, error) {
	s := f.Streams
	if a.Command != "" {
		command, err := newAdminCommand(f, a.Command, a.Level.of(adminCommandFlag, true) == OfSettingsFile)
		return &Administrators{Streams: s, command: command}, err
	}
	a = a.nearest(s)
	file, err := OpenNamed(s, adminCredentialsFlag, a.Credentials)
	if err != nil {
		return nil, err
	}
	if file != nil {
		servers := used
		if len(used) == 0 {
			servers = file.Servers()
		}
		if err := file.CheckFilled(openshift.FromFile(file, servers).Only(asAdministrator())); err != nil {
			return nil, BadFlag(adminCredentialsFlag, "%w", err)
		}
	}
	password, err := a.password(s)
	if err != nil {
		return nil, err
	}
	if a.User == "" && a.PasswordFile != "" && s.Getenv(EnvAdminUser) == "" {
		return nil, hint.Errorf("add --admin-user, or set "+EnvAdminUser, "--admin-password-file: --admin-user is required")
	}
	r := &Administrators{Streams: s, file: file}
	env := func(name string) secret.Secret { return secret.New(s.Getenv(name)) }
	if ofEnv := s.Getenv(EnvAdminUser); a.PasswordFile == "" && (a.User == "" || ofEnv == "" || ofEnv == a.User) {
		password = env(EnvAdminPassword)
	}
	r.login, r.from = AdminLogin{cmp.Or(a.User, s.Getenv(EnvAdminUser)), password}, "--"+adminUserFlag
	if ofEnv := s.Getenv(EnvAdminUser); ofEnv == r.login.User {
		r.from = EnvAdminUser
	}
	if r.login.User == "" {
		r.login, r.from = AdminLogin{s.Getenv(GovcUser), env(GovcPassword)}, GovcUser
	}
	return r, nil
}

// nearest is a without what a nearer source overrides: a file by a user, a password by a variable.
func (a *AdminFlags) nearest(s *term.Streams) *AdminFlags {
	at := func(flag, value string) Level {
		if value == "" {
			return OfDefault
		}
		return a.Level.of(flag, true)
	}
	out := *a
	password := at(adminPasswordFileFlag, a.PasswordFile)
	login := max(at(adminUserFlag, a.User), password)
	ofEnv := s.Getenv(EnvAdminUser)
	if ofEnv != "" {
		login = max(login, OfEnvironment)
	}
	if login > at(adminCredentialsFlag, a.Credentials) {
		out.Credentials = ""
	}
	mine := a.User == "" || ofEnv == "" || ofEnv == a.User
	if mine && s.Getenv(EnvAdminPassword) != "" && password < OfEnvironment {
		out.PasswordFile = ""
	}
	return &out
}

func (a *AdminFlags) password(s *term.Streams) (secret.Secret, error) {
	var data []byte
	var err error
	switch a.PasswordFile {
	case "":
		return secret.Secret{}, nil
	case "-":
		data, err = files.UTF8(files.ReadFrom(s.In, "stdin", files.Line))
	default:
		data, err = files.UTF8(files.Read(a.PasswordFile, files.Line, files.CheckPrivate))
	}
	if err != nil {
		return secret.Secret{}, BadFlag(adminPasswordFileFlag, "%w", err)
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if err := checkPassword(line); err != nil {
		return secret.Secret{}, BadFlag(adminPasswordFileFlag, "%s %w", a.PasswordFile, err)
	}
	return secret.New(line), nil
}

func checkPassword(line string) error {
	switch {
	case line == "":
		return errors.New("is empty")
	case len(line) > credfile.MaxValue:
		return fmt.Errorf("is too long for a password: %d bytes, at most %d", len(line), credfile.MaxValue)
	case strings.ContainsAny(line, "\r\n"):
		return errors.New("has more than one line")
	case credfile.Placeholder(line):
		return fmt.Errorf("%w: fill it in", credfile.ErrPlaceholder)
	}
	return nil
}

// TriedAccount is the outcome of the login of a component's account.
type TriedAccount struct {
	login.Result
	Component component.Name
}

// Refusal says whose login failed, and why.
func (t TriedAccount) Refusal() string { return fmt.Sprintf("login of %s: %s", t.User, t.Outcome) }

// TryAccounts logs in with accounts, once on each vCenter of reach, as [login.Try] does.
func (f *Factory) TryAccounts(ctx context.Context, reach *spec.Spec, addresses AddressFlag, trust *TLSFlags,
	accounts openshift.Accounts,
) ([]TriedAccount, error) {
	tls, err := trust.Resolve(f.Streams, Servers(reach))
	if err != nil {
		return nil, err
	}
	config := f.Reach(reach, addresses, tls)
	var targets []login.Target
	var attempts []TriedAccount
	for _, vc := range reach.VCenters {
		for _, c := range component.Names() {
			if a, ok := accounts[vc.Server][c]; ok && a.User != "" && !a.Password.Empty() && len(a.Unfilled()) == 0 {
				targets = append(targets,
					login.Target{Server: vc.Server, Config: config(vc), User: a.User, Password: a.Password})
				attempts = append(attempts, TriedAccount{Component: c})
			}
		}
	}
	for i, r := range login.Try(ctx, targets) {
		attempts[i].Result = r
	}
	return attempts, nil
}

// Reached are the vCenters of a specification or, if it is nil, of sections or secrets by name.
func Reached(asked *spec.Spec, names []string, addresses AddressFlag) (*spec.Spec, error) {
	if asked != nil {
		return asked, nil
	}
	s := AsWritten(slices.DeleteFunc(slices.Clone(names), func(s string) bool {
		return !credfile.FitsSecretKey(s)
	})) // others fail elsewhere
	if len(s.VCenters) == 0 {
		return s, nil
	}
	return s, addresses.Apply(s)
}

// AsWritten are vCenters with the names of keys of secrets or sections, which are not parsed.
func AsWritten(servers []string) *spec.Spec {
	s := &spec.Spec{}
	for _, server := range servers {
		s.VCenters = append(s.VCenters, spec.VCenter{Server: server, Port: spec.DefaultPort})
	}
	return s
}

// Failures joins the failed logins; nil = none failed. The last error says what follows.
func Failures(attempts []TriedAccount, follows string) error {
	var errs []error
	for _, r := range attempts {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %s", r.Server, r.Component, r.Refusal()))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New(follows))
	}
	return errors.Join(errs...)
}
