// Command ocp-vsphere-admin creates least-privilege vSphere accounts for OpenShift.
package main

import (
	"context"
	"os"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	_ "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/heap" // first of all: see there
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func main() {
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := cli.Run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}
