package cli

import (
	"github.com/spf13/cobra"
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
	registerAdditive(cmd, &o.Additive)
	cmd.Flags().BoolVar(&o.Prune, "prune", false, "remove the accounts of this cluster that the specification no longer names, and what they hold")
	markCommandLineOnly(cmd, "prune")
	registerCreateFolders(cmd, &o.CreateFolders)
	registerStrict(cmd, &o.Strict)
	markSettings(cmd, "prune")
	cmd.MarkFlagsMutuallyExclusive("prune", "additive")
}

func registerAdditive(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "additive", false, "never remove a privilege or a permission")
	markSettings(cmd, "additive")
}

func registerStrict(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "strict", false, "a privilege that a vCenter does not know is an error")
	markSettings(cmd, "strict")
}

// registerCreateFolders adds the flag for commands that make folders.
func registerCreateFolders(cmd *cobra.Command, to *bool) {
	registerFolders(cmd, to, "make missing VM folders first, and keep the folder grants on them")
}

// registerCreatedFolders adds it for commands that look at what the others made.
func registerCreatedFolders(cmd *cobra.Command, to *bool) {
	registerFolders(cmd, to, "the folder grants are on folders that apply --create-folders made")
}

func registerFolders(cmd *cobra.Command, to *bool, says string) {
	cmd.Flags().BoolVar(to, "create-folders", false, says)
	markSettings(cmd, "create-folders")
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

// decided is what the plan of this job is sealed with.
func (w *work) decided() decided {
	d := decided{Spec: string(w.wanted.YAML()), Matrix: string(w.matrixText), Options: w.steering}
	if whole := w.wanted.Whole(); whole != w.wanted {
		d.Whole = string(whole.YAML())
	}
	return d
}
