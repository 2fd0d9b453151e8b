// Command vcenter-lab serves simulated vCenters.
package main

import (
	"context"
	"os"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

func main() {
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := cli.Run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}
