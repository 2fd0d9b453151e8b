// Command ocp-vsphere-admin creates least-privilege vSphere accounts for OpenShift.
package main

import (
	"context"
	"os"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Filled by the linker: -ldflags "-X main.version=v1.2.3 -X main.commit=... -X main.date=...".
var version, commit, date string

func main() {
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := cli.Run(ctx, streams, cli.Build{Version: version, Commit: commit, Date: date}, os.Args[1:])
	stop()
	os.Exit(code)
}
