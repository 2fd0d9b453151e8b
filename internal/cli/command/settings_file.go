package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// ConfigPath is --config, its variable, or the file of the XDG base directories (default
// ~/.config). named is what names it; "" = none: the file need not exist.
func (f *Factory) ConfigPath() (path, named string) {
	if f.Config != "" {
		return f.Config, "--config"
	}
	if path := f.Getenv(EnvName("config")); path != "" {
		return path, EnvName("config")
	}
	base := f.Getenv("XDG_CONFIG_HOME")
	if base == "" && f.Home != "" {
		base = filepath.Join(f.Home, ".config")
	}
	if base == "" {
		return "", ""
	}
	return filepath.Join(base, Program, "config.yaml"), ""
}

func knownSettings(cmd *cobra.Command) []string {
	set := map[string]bool{}
	EachCommand(cmd, func(c *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(fl *pflag.Flag) {
				if !IsCommandLineOnly(fl) {
					set[fl.Name] = true
				}
			})
		}
	})
	return SortedKeys(set)
}

// namesSecrets are settings that name files with passwords.
var namesSecrets = []string{"admin-credentials", "admin-password-file", "account-passwords", CredentialsFileFlag}

type setting struct {
	value any
	where string // file, line and name, for errors
}

// readConfig reads the settings file, whose fields are names of flags. It decides to whom a
// password is sent, so another user must not be able to change it; with settings of namesSecrets,
// only a mounted Secret's group may read it too. closed = an unknown field is an error.
func readConfig(path string, required, closed bool, root *cobra.Command) (map[string]setting, error) {
	data, err := files.Read(path, files.Text, func(path string, opened fs.FileInfo) error {
		if required { // it was named
			return nil
		}
		return files.Regular(path, opened)
	})
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil, nil
	}
	if err == nil {
		err = errors.Join(files.Check(path, files.OthersWrite), files.CheckOwner(path))
	}
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if saysNothing(path, data) {
		return nil, nil
	}
	known := knownSettings(root)
	r := yamldoc.New(path, yamldoc.Rules{Closed: closed, Scalars: true, Unknown: func(name string) string {
		if hint.Nearest(name, known) != "" {
			return "" // which is named
		}
		return "; settings are flag names without the leading dashes, such as parallel or components"
	}})
	top := r.Object(r.Document(data), yamldoc.Place{Line: 1}, known...)
	for _, name := range namesSecrets {
		if top.Given(name) {
			if err := files.CheckPrivateAt(path); err != nil {
				return nil, fmt.Errorf("settings: %w: it sets %s", err, name)
			}
		}
	}
	settings := map[string]setting{}
	for _, name := range top.Names {
		if !closed && !slices.Contains(known, name) {
			continue
		}
		if value := settingOf(r, top, name); value != nil {
			settings[name] = setting{value, fmt.Sprintf("%s:%d: %s", path, top.Where(name).Line, name)}
		}
	}
	return settings, r.Err()
}

func saysNothing(path string, data []byte) bool {
	r := yamldoc.New(path, yamldoc.Rules{})
	return !slices.ContainsFunc(r.Documents(data), func(n *yaml.Node) bool {
		return !yamldoc.IsNull(n)
	}) && r.Count() == 0
}

// settingOf is a value as it is written, whatever its YAML type; nil = none.
func settingOf(r *yamldoc.Reader, root yamldoc.Object, name string) any {
	field, _ := root.Raw(name)
	switch n := r.Resolve(field.Value); {
	case yamldoc.IsNull(n):
		return nil
	case n.Kind == yaml.MappingNode:
		r.At(root.Where(name), "must be a value or a list, not %s", yamldoc.Describe(n))
		return nil
	case n.Kind != yaml.SequenceNode:
		return root.Text(name).Value
	}
	texts, _ := root.Texts(name)
	words := make([]string, len(texts))
	for i, t := range texts {
		words[i] = t.Value
	}
	return words
}
