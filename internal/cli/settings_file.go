package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// configPath is --config, its variable, or the file of the XDG base directories, ~/.config where they are not set.
func (f *Factory) configPath() (path string, required bool) {
	if f.Config != "" {
		return f.Config, true
	}
	if path := f.Getenv(envName("config")); path != "" {
		return path, true
	}
	base := f.Getenv("XDG_CONFIG_HOME")
	if base == "" && f.Home != "" {
		base = filepath.Join(f.Home, ".config")
	}
	if base == "" {
		return "", false
	}
	return filepath.Join(base, program, "config.yaml"), false
}

// knownSettings are the flags of all commands.
func knownSettings(cmd *cobra.Command) []string {
	set := map[string]bool{}
	eachCommand(cmd, func(c *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(fl *pflag.Flag) {
				if !isCommandLineOnly(fl) {
					set[fl.Name] = true
				}
			})
		}
	})
	return sortedKeys(set)
}

// namesSecrets are settings that say where passwords are.
var namesSecrets = []string{"admin-credentials", "admin-password-file", "account-passwords", credentialsFileFlag}

func topLevel(root *yaml.Node, name string) bool {
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == name {
			return true
		}
	}
	return false
}

// readConfig reads the settings file: a YAML map whose keys are names of flags. It decides whom a password is sent to, so
// nobody else may change it; where it leads to passwords, nobody else may read it.
func readConfig(path string, required bool, known []string) (map[string]any, error) {
	data, err := files.Read(path, files.Text)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil, nil
	}
	if err == nil {
		err = files.Check(path, files.OthersWrite)
	}
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: must be a map of flag names to values", path, root.Line)
	}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		err := fmt.Errorf("%s:%d: %q is no setting", path, key.Line, key.Value)
		if near := hint.Nearest(key.Value, known); near != "" {
			return nil, hint.Wrap(err, didYouMean(near))
		}
		return nil, hint.Wrap(err, "settings are the names of flags without dashes in front, like parallel or components")
	}
	for _, name := range namesSecrets {
		if topLevel(root, name) {
			if err := files.Check(path, files.Others); err != nil {
				return nil, fmt.Errorf("settings: %w: it says %s", err, name)
			}
		}
	}
	settings := map[string]any{}
	if err := root.Decode(&settings); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return settings, nil
}
