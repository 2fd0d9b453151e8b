// Command ocp-vsphere-admin creates least-privilege vSphere accounts for OpenShift.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func main() {
	debug.SetGCPercent(400) // a run is short and small: collecting rarely saves a tenth of its processor time
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := cli.Run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}
