package credentials

import (
	"bytes"
	"context"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

var (
	iniLine    = pattern.Of(`(?m)^(?:\x{FEFF})?\s*\[[^\]\n,"{]+\]\s*(?:[#;].*)?$`)
	secretLine = pattern.Of(`(?m)^[\s{]*"?kind"?: *"?(?:Secret|SecretList|List)"?[,\s]*$`)
	secretJSON = pattern.Of(`"kind"\s*:\s*"Secret(?:List)?"`) // wherever it stands in a line
)

// kindOf guesses the kind of a text by lines that only one kind has.
func kindOf(data []byte) string {
	switch {
	case iniLine().Match(data) && !bytes.Contains(data, []byte("\nplatform:")):
		return command.KindCredentials
	case secretLine().Match(data) || secretJSON().Match(data):
		return command.KindSecrets
	}
	return command.KindInstallConfig
}

type source struct {
	kind     string
	accounts openshift.Accounts
	filled   func(openshift.Accounts) error // refuses placeholders among them
}

// readAccounts reads accounts from a text of a kind; "" = detect it. It decrypts in memory.
func readAccounts(ctx context.Context, f *command.Factory, path, kind string, identities *command.IdentityFlags) (s source, err error) {
	name, data, err := f.ReadText(path,
		"give an install-config.yaml, secrets as 'oc get secrets -o yaml' prints them, or a credentials file")
	if err != nil {
		return s, err
	}
	if data, err = identities.Open(ctx, f, name, files.AsUTF8(data)); err != nil {
		return s, err
	}
	data = files.AsUTF8(data)
	if s.kind = kind; kind == "" {
		s.kind = kindOf(data)
	}
	switch s.kind {
	case command.KindSecrets:
		var warnings []string
		s.accounts, warnings, err = diagnosis.ReadAccounts(name, data)
		s.filled = func(a openshift.Accounts) error { return a.CheckFilled(name) }
		f.Warn(warnings...)
	case command.KindCredentials:
		var file *credfile.File
		if file, err = credfile.Parse(name, data); err == nil {
			f.Misread(file)
			f.Warn(halves(file, name)...)
			s.accounts = openshift.FromFile(file, file.Servers())
			s.filled = func(a openshift.Accounts) error { return file.CheckFilled(a) }
		}
	default:
		var config *installconfig.File
		if config, err = installconfig.Parse(name, data); err == nil {
			f.WarnRefusals(config)
			s.accounts, s.filled = config.Accounts(), config.CheckFilled
		}
	}
	return s, err
}

// halves says what of accounts a file called name has alone.
func halves(file *credfile.File, name string) (all []string) {
	for _, server := range file.Servers() {
		for _, c := range component.Names() {
			if key, half := file.Half(server, c); half {
				all = append(all, fmt.Sprintf("%s: [%s] %s is set alone, so there is no account to take", name, server, key))
			}
		}
	}
	return all
}
