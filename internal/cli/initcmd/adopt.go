package initcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const adoptFlag = "adopt"

// check refuses --adopt beside questions about adopted accounts.
func (o *Options) check(*cobra.Command, []string) error {
	if len(o.Adopt) > 0 && !o.unasked() {
		return command.BadFlag(adoptFlag, "--no-input is required, with --install-config or --infrastructure")
	}
	_, err := o.adopted()
	return err
}

// unasked reports whether init converts another file without questions.
func (o *Options) unasked() bool {
	return o.NoInput && (o.InstallConfig != "" || o.Infrastructure != "")
}

func (o *Options) adopted() (map[component.Name]spec.Component, error) {
	all := map[component.Name]spec.Component{}
	for _, word := range o.Adopt {
		name, principal, _ := strings.Cut(word, "=")
		c := component.Name(name)
		if !slices.Contains(component.Names(), c) || principal == "" {
			return nil, command.BadFlag(adoptFlag, "%s: must be COMPONENT=NAME@DOMAIN, with one of %s", word, strings.Join(component.Words(component.Names()), ", "))
		}
		if _, twice := all[c]; twice {
			return nil, command.BadFlag(adoptFlag, "%s is given twice", c)
		}
		all[c] = spec.Component{Principal: principal}
	}
	return all, nil
}

// source is what the file says that init begins with.
func (o *Options) source(k known) (*spec.Spec, error) {
	if o.InstallConfig == "" {
		return k.cluster, nil
	}
	s, _, err := installconfig.Load(o.InstallConfig)
	return s, err
}

// write is init without questions or vCenters: it writes what is known, with adopted accounts.
func (o *Options) write(k known) error {
	s, err := o.source(k)
	if err != nil {
		return err
	}
	adopted, err := o.adopted()
	if err != nil {
		return err
	}
	if len(adopted) > 0 { // else the file names no component, which means all
		s.Components = adopted
		for _, c := range component.Default() {
			s.Components[c] = adopted[c]
		}
	}
	text := s.YAML()
	if _, err := spec.Parse(o.Out, text); err != nil {
		return err
	}
	if err := o.Over.Private("out", o.Out, text); err != nil {
		return err
	}
	o.Infof("wrote %s", o.Out)
	o.Next(o.CommandLine("apply",
		o.Said.Without("install-config", command.InfrastructureFlag).With("file", o.Out)))
	return nil
}
