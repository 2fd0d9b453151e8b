package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
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

// AdminFunc gives the administrator's login of a vCenter. It may ask: questions come one after the other, and what was
// answered is offered for the next vCenter.
type AdminFunc func(ctx context.Context, server string) (user string, password secret.Secret, err error)

// Register adds the flags to cmd.
func (a *adminFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&a.Credentials, adminCredentialsFlag, "", "INI file with user and password of the administrator, a section per vCenter, mode 0600")
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
func (a *adminFlags) Resolve(s *term.Streams) (AdminFunc, error) {
	a = a.nearest(s)
	file, err := openNamed(adminCredentialsFlag, a.Credentials)
	if err != nil {
		return nil, err
	}
	password, err := a.password(s)
	if err != nil {
		return nil, err
	}
	if a.User == "" && a.PasswordFile != "" && s.Getenv(envAdminUser) == "" {
		return nil, hint.Errorf("add --admin-user, or set "+envAdminUser, "--admin-password-file: whose password it is was not said")
	}
	r := &adminResolver{streams: s, file: file}
	env := func(name string) secret.Secret { return secret.New(s.Getenv(name)) }
	if ofEnv := s.Getenv(envAdminUser); a.PasswordFile == "" && (a.User == "" || ofEnv == "" || ofEnv == a.User) {
		password = env(envAdminPassword)
	}
	r.login = adminLogin{cmp.Or(a.User, s.Getenv(envAdminUser)), password}
	if r.login.user == "" {
		r.login = adminLogin{s.Getenv(govcUser), env(govcPassword)}
	}
	return r.get, nil
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
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%s holds %d bytes, and no password has more than %d", a.PasswordFile, len(line), credfile.MaxValue)
	case strings.ContainsAny(line, "\r\n"):
		return secret.Secret{}, badFlag(adminPasswordFileFlag, "%s holds more than one line", a.PasswordFile)
	}
	return secret.New(line), nil
}

type adminLogin struct {
	user     string
	password secret.Secret
}

type adminResolver struct {
	streams *term.Streams
	file    *credfile.File // nil = none
	login   adminLogin     // of the flags or variables, for every vCenter

	mu    sync.Mutex
	asked adminLogin // the last answers
}

func (r *adminResolver) get(ctx context.Context, server string) (string, secret.Secret, error) {
	if r.file != nil {
		if a, ok := r.file.Get(server, component.Installer); ok {
			return a.User, a.Password, nil
		}
	}
	if r.login.user != "" && !r.login.password.Empty() {
		return r.login.user, r.login.password, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	login, err := r.ask(ctx, server)
	if err != nil {
		return "", secret.Secret{}, err
	}
	return login.user, login.password, nil
}

func (r *adminResolver) ask(ctx context.Context, server string) (adminLogin, error) {
	user := r.login.user
	if user == "" {
		var err error
		if user, err = r.streams.Prompt(ctx, "administrator of "+server, r.asked.user); err != nil {
			return adminLogin{}, r.missing(err, server, "user", "--admin-user or "+envAdminUser)
		}
		if user == "" {
			return adminLogin{}, fmt.Errorf("%s: no administrator is named", server)
		}
	}
	label := fmt.Sprintf("password of %s on %s", user, server)
	again := user == r.asked.user
	if again {
		label += " [the same]"
	}
	password, err := r.streams.Password(ctx, label)
	if err != nil {
		return adminLogin{}, r.missing(err, server, "password", "--admin-password-file or "+envAdminPassword)
	}
	if password.Empty() && again {
		password = r.asked.password
	}
	if password.Empty() {
		return adminLogin{}, fmt.Errorf("%s: the password of %s is empty", server, user)
	}
	r.asked = adminLogin{user, password}
	return r.asked, nil
}

func (r *adminResolver) missing(err error, server, what, how string) error {
	if !errors.Is(err, term.ErrNoInput) {
		return err
	}
	err = fmt.Errorf("%s: the administrator's %s is not given, and %w", server, what, err)
	if r.file != nil {
		return hint.Wrap(err, fmt.Sprintf("add a section [%s] with user and password to %s, or give it with %s", server, r.file.Path(), how))
	}
	return hint.Wrap(err, "give it with "+how+", or both with --admin-credentials")
}
