// Command govc is govmomi's own command line, cut down to the commands that the script uses: what an administrator
// would have typed before. Fewer commands make it start faster than the whole one, so the comparison errs in its favor.
package main

import (
	"os"

	"github.com/vmware/govmomi/cli"
	_ "github.com/vmware/govmomi/cli/about" // each import registers its commands
	_ "github.com/vmware/govmomi/cli/permissions"
	_ "github.com/vmware/govmomi/cli/role"
	_ "github.com/vmware/govmomi/cli/sso/user"
)

func main() {
	os.Exit(cli.Run(os.Args[1:]))
}
