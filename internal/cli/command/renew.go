package command

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Flags of secrets emit that other commands name in the commands that come next.
const (
	RenewFlag   = "renew"
	AgainstFlag = "against"
	VerifyFlag  = "verify"
)

// Applies is how the cluster gets what a command prints.
const Applies = " | oc apply -f -"

// Renews is the command that writes the secrets of the cluster that hold an account already, as said.
func (f *Factory) Renews(said Invocation, own ...string) string {
	line := openshift.FromCluster + f.CommandLine("secrets emit", said, "--"+RenewFlag, "--"+AgainstFlag, "-")
	if len(own) > 0 {
		line += " " + script.Line(own...)
	}
	return line + Applies
}

// Tested are the words with which secrets emit logs in before it writes, as this run reached the vCenters: another machine may
// have removed or changed the accounts, or do so before the line is run. Where a run about some vCenters was not told how to reach the
// others, nothing is written.
func (f *Factory) Tested(said Invocation) []string {
	return append([]string{"--" + VerifyFlag}, said.Only(ConnectToFlag, CACertFlag, ThumbprintFlag, "insecure").Words(f.settingsOf("verify"))...)
}

// Emits are the flags that tell secrets emit whose accounts it writes, as said: of which cluster, from which credentials file, and tested.
func (f *Factory) Emits() []string {
	return append(f.Said.Only(append(Sources(), CredentialsFileFlag)...).Words(f.settingsOf("secrets emit")), f.Tested(f.Said)...)
}
