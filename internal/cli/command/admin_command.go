package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// EnvServer names to --admin-command the vCenter whose administrator is asked for.
const EnvServer = EnvPrefix + "SERVER"

// CredentialKind is the kind of the document that --admin-command prints.
const CredentialKind = "AdministratorCredential"

// credentialFields are the fields of that document. expiresAt may be left out.
var credentialFields = []string{"apiVersion", "kind", "user", "password", "expiresAt"}

// adminCommand asks a program for the login of each vCenter, once in a run.
type adminCommand struct {
	f     *Factory
	words []string

	mu      sync.Mutex
	answers map[string]func() (AdminLogin, error)
	talk    sync.Mutex // one line at a time
}

// newAdminCommand splits the value of --admin-command and finds its program. In a settings file
// (settled) its path must be absolute, or the working directory would decide which program runs.
func newAdminCommand(f *Factory, line string, settled bool) (*adminCommand, error) {
	words, err := script.Split(line)
	switch {
	case err != nil:
	case len(words) == 0:
		err = errors.New("it names no program")
	case settled && filepath.Base(words[0]) != words[0] && !filepath.IsAbs(words[0]):
		err = hint.Errorf("write its absolute path", "%s is another program in each working directory", words[0])
	}
	if err != nil {
		return nil, BadFlag(adminCommandFlag, "%w", err)
	}
	if words[0], err = program.Find(words[0]); err != nil {
		return nil, BadFlag(adminCommandFlag, "%w", err)
	}
	return &adminCommand{f: f, words: words, answers: map[string]func() (AdminLogin, error){}}, nil
}

// askAll asks for the logins of several vCenters at once. Errors are kept until each is used.
func (a *adminCommand) askAll(ctx context.Context, servers []string) {
	var all crash.Group
	all.Limit(a.f.Parallel)
	for _, server := range servers {
		all.Go(func() { _, _ = a.login(ctx, server) })
	}
	all.Wait()
}

// login is the program's answer for a vCenter, for the whole run: a refused one is not sent again.
func (a *adminCommand) login(ctx context.Context, server string) (AdminLogin, error) {
	a.mu.Lock()
	ask := a.answers[server]
	if ask == nil {
		ask = sync.OnceValues(func() (AdminLogin, error) { return a.ask(ctx, server) })
		a.answers[server] = ask
	}
	a.mu.Unlock()
	return ask()
}

func (a *adminCommand) ask(ctx context.Context, server string) (AdminLogin, error) {
	out := &program.Limited{Most: int(files.Line) * 4}
	lines := &lineWriter{say: func(line string) {
		a.talk.Lock()
		defer a.talk.Unlock()
		a.f.Todof("%s: %s: %s", server, filepath.Base(a.words[0]), line)
	}}
	err := program.Command{
		Path: a.words[0], Args: a.words[1:], Env: []string{EnvServer + "=" + server},
		Out: out, Err: lines, Patience: a.f.Timeout, Grace: program.Grace,
	}.Run(ctx)
	if len(lines.text) > 0 {
		lines.say(string(lines.text))
	}
	switch {
	case ctx.Err() != nil:
		return AdminLogin{}, ctx.Err()
	case out.Over:
		err = fmt.Errorf("%s: its output is larger than %d bytes", a.words[0], out.Most)
	case err == nil:
		var l AdminLogin
		if l, err = parseCredential(out.Text, time.Now()); err == nil {
			return l, nil
		}
		err = hint.Wrap(fmt.Errorf("%s: its output %w", a.words[0], err),
			fmt.Sprintf("it has to print one JSON object: %q: %q, %q: %q, %q, %q and, if it ends, %q",
				"apiVersion", APIVersion, "kind", CredentialKind, "user", "password", "expiresAt"))
	}
	return AdminLogin{}, fmt.Errorf("%s: --%s: %w", server, adminCommandFlag, err)
}

// parseCredential reads what a program printed. No error repeats any of it.
func parseCredential(data []byte, now time.Time) (AdminLogin, error) {
	var fields map[string]json.RawMessage
	switch err := json.Unmarshal(data, &fields); {
	case !utf8.Valid(data):
		return AdminLogin{}, errors.New("is not UTF-8")
	case err != nil || fields == nil:
		return AdminLogin{}, errors.New("is not one JSON object")
	}
	text := map[string]string{}
	for name, value := range fields {
		var s *string
		if !slices.Contains(credentialFields, name) {
			return AdminLogin{}, errors.New("has a field beside " + strings.Join(credentialFields, ", "))
		}
		if json.Unmarshal(value, &s) != nil || s == nil {
			return AdminLogin{}, fmt.Errorf("has a %s that is no string", name)
		}
		text[name] = *s
	}
	switch {
	case text["apiVersion"] != APIVersion || text["kind"] != CredentialKind:
		return AdminLogin{}, fmt.Errorf("is not of apiVersion %s and kind %s", APIVersion, CredentialKind)
	case text["user"] == "" || strings.ContainsAny(text["user"], "\r\n"):
		return AdminLogin{}, errors.New("has no user on one line")
	}
	if err := checkPassword(text["password"]); err != nil {
		return AdminLogin{}, fmt.Errorf("has a password that %w", err)
	}
	if ends, given := text["expiresAt"]; given {
		switch at, err := time.Parse(time.RFC3339, ends); {
		case err != nil:
			return AdminLogin{}, errors.New("has an expiresAt that is no time as in 2026-01-31T12:00:00Z")
		case !at.After(now):
			return AdminLogin{}, fmt.Errorf("expired at %s", at.UTC().Format(time.RFC3339))
		}
	}
	return AdminLogin{text["user"], secret.New(text["password"])}, nil
}

type lineWriter struct {
	say  func(line string)
	text []byte
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	for {
		line, after, found := bytes.Cut(l.text, []byte("\n"))
		if !found && len(line) < int(files.Line) {
			return len(p), nil
		}
		l.say(strings.TrimRight(string(line), "\r"))
		l.text = after
	}
}
