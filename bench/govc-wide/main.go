// Command govc-wide is govmomi's own command line with the commands that the clients' tests use, beside those of the bench.
package main

import (
	"os"

	"github.com/vmware/govmomi/cli"
	_ "github.com/vmware/govmomi/cli/about" // each import registers its commands
	_ "github.com/vmware/govmomi/cli/events"
	_ "github.com/vmware/govmomi/cli/object"
	_ "github.com/vmware/govmomi/cli/permissions"
	_ "github.com/vmware/govmomi/cli/role"
	_ "github.com/vmware/govmomi/cli/session"
	_ "github.com/vmware/govmomi/cli/sso/group"
	_ "github.com/vmware/govmomi/cli/sso/user"
	_ "github.com/vmware/govmomi/cli/storage/policy"
	_ "github.com/vmware/govmomi/cli/tags"
	_ "github.com/vmware/govmomi/cli/tags/association"
	_ "github.com/vmware/govmomi/cli/tags/category"
	_ "github.com/vmware/govmomi/cli/task"
	_ "github.com/vmware/govmomi/cli/vm"
	_ "github.com/vmware/govmomi/cli/volume"
	_ "github.com/vmware/govmomi/cli/volume/snapshot"
)

func main() {
	os.Exit(cli.Run(os.Args[1:]))
}
