package frame

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// flagGroup is a group of flags that mean the same for every command that has them: the help of a command only names them, and
// `help flags` says what they do.
type flagGroup struct {
	name, about string
	flags       []string
}

func flagGroups() []flagGroup {
	return []flagGroup{
		{"source", "source: which cluster, vCenters and components", strings.Fields("file install-config infrastructure vcenters components cluster profile matrix conditions")},
		{"connection", "connection: how the vCenters are reached, and as whom", strings.Fields("admin-command admin-credentials admin-user admin-password-file connect-to cacert thumbprint insecure")},
		{"general", "general: of every command", strings.Fields("output yes no-input no-color verbose parallel timeout config")},
	}
}

// grouped are the flags of a group that a command has. A flag of its own may have the same name: it is no setting.
func (g flagGroup) grouped(cmd *cobra.Command) (all []*pflag.Flag) {
	for _, name := range g.flags {
		fl := cmd.LocalFlags().Lookup(name)
		if fl != nil && !command.IsSetting(fl) || !cmd.HasParent() {
			continue
		}
		if fl == nil {
			fl = cmd.InheritedFlags().Lookup(name)
		}
		if fl != nil && !fl.Hidden {
			all = append(all, fl)
		}
	}
	return all
}

// usageOf is the usage of a command with the flags of groups named in a line each.
func usageOf(cmd *cobra.Command, width int) string {
	var groups strings.Builder
	var hidden []*pflag.Flag
	for _, g := range flagGroups() {
		var names []string
		for _, fl := range g.grouped(cmd) {
			names, hidden = append(names, flagName(fl)), append(hidden, fl)
			fl.Hidden = true
		}
		if len(names) > 0 {
			term.Fprintf(&groups, "  %-10s  %s\n", g.name, strings.Join(names, ", "))
		}
	}
	text := trailing().ReplaceAllString(cmd.UsageString(), "")
	for _, fl := range hidden {
		fl.Hidden = false
	}
	if groups.Len() == 0 {
		return text
	}
	text, see, nested := strings.Cut(text, "\nSee \"")
	text += "\nMore flags (see \"" + cmd.Root().Name() + " help flags\"):\n" + wrapped(groups.String(), width) + "\n"
	if nested {
		text += "\nSee \"" + see
	}
	return text
}

func flagName(fl *pflag.Flag) string {
	if fl.Shorthand != "" {
		return "-" + fl.Shorthand + ", --" + fl.Name
	}
	return "--" + fl.Name
}

// newTopicFlags is the page of the groups, in the words of the first command of root that has each flag.
func newTopicFlags(root *cobra.Command) *cobra.Command {
	var text strings.Builder
	text.WriteString("A command's help only names these flags under \"More flags\": there they mean what is said here.\n")
	for _, g := range flagGroups() {
		text.WriteString("\n" + g.about + "\n\n")
		for _, name := range g.flags {
			fl := firstFlag(root, name)
			if fl == nil { // no command of this program has it
				continue
			}
			kind, usage := pflag.UnquoteUsage(fl)
			if !slices.Contains([]string{"", "false", "[]"}, fl.DefValue) {
				usage += " (default " + fl.DefValue + ")"
			}
			term.Fprintf(&text, "  %-28s  %s\n", strings.TrimSpace(flagName(fl)+" "+kind), usage)
		}
	}
	return NewTopic("flags", "Flags that many commands have", text.String())
}

// firstFlag is the flag as all commands have it, or the first one for which it is a setting.
// It looks into the sets themselves: cobra's LocalFlags copies them, at the cost of every start.
func firstFlag(cmd *cobra.Command, name string) *pflag.Flag {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		fl := flags.Lookup(name)
		if fl != nil && (command.IsSetting(fl) || !cmd.HasParent()) {
			return fl
		}
	}
	for _, sub := range cmd.Commands() {
		if fl := firstFlag(sub, name); fl != nil {
			return fl
		}
	}
	return nil
}
