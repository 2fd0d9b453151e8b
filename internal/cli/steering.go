package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Steering is the flags that decide what is planned, beside the specification. A saved plan holds all of it and its
// digest covers it, so a new one needs a field here, its flag in registerSteering and its name in plannedFlags.
type Steering struct {
	Additive      bool `json:"additive"`
	Prune         bool `json:"prune"`
	CreateFolders bool `json:"createFolders"`
	Strict        bool `json:"strict"`
}

// registerSteering adds the flags that decide what is planned.
func (o *JobOptions) registerSteering(cmd *cobra.Command) {
	p := cmd.Flags()
	p.BoolVar(&o.Additive, "additive", false, "never remove a privilege or a permission")
	p.BoolVar(&o.Prune, "prune", false, "remove the accounts of this cluster that the specification no longer names, and what they hold")
	markCommandLineOnly(cmd, "prune")
	cmd.MarkFlagsMutuallyExclusive("prune", "additive")
	p.BoolVar(&o.CreateFolders, "create-folders", false, "make missing VM folders first, and keep the folder grants on them")
	p.BoolVar(&o.Strict, "strict", false, "a privilege that a vCenter does not know is an error")
}

// plannedFlags decide what is planned, so that apply --plan takes none of them.
func plannedFlags() []string {
	return []string{"file", "install-config", "additive", "prune", "create-folders", "strict", "components", "vcenters", "matrix", "conditions", "profile"}
}

// decided is everything beside the vCenters that decides what a plan comes to and what applying it does.
type decided struct {
	Spec    string   `json:"spec"`             // a provisioning file, narrowed and with addresses
	Whole   string   `json:"whole,omitempty"`  // the same before it was narrowed: what is left out was not dropped
	Matrix  string   `json:"matrix,omitempty"` // the text of the matrix, where the specification names a file
	Options Steering `json:"options"`
}

// decided is known once the job is made.
func (o *JobOptions) decided(wanted *spec.Spec) decided {
	d := decided{Spec: string(wanted.YAML()), Matrix: string(o.matrixText), Options: o.Steering}
	if whole := wanted.Whole(); whole != wanted {
		d.Whole = string(whole.YAML())
	}
	return d
}

// loadMatrix reads the matrix of the specification, unless a saved plan brought it.
func (o *JobOptions) loadMatrix(wanted *spec.Spec) (m *privileges.Matrix, err error) {
	if o.matrix != nil {
		return o.matrix, nil
	}
	m, o.matrixText, err = privileges.LoadText(wanted.Privileges.Matrix)
	return m, err
}
