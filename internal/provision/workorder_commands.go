package provision

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The commands of a work order. Whoever runs them logs in with credentials of his own, and types the passwords of new
// accounts: none is in here. Names come from the inventory and are quoted for the shell that reads them.

// subshell makes a block of commands one: pasted into a terminal it is read as a whole, so that no question for a password
// reads the next command, and the first failure ends it and not the shell.
func (s *snapshot) subshell(commands ...[]string) []string {
	return slices.Concat([]string{"("}, s.govcLogin(), slices.Concat(commands...), []string{")"})
}

// powerBlock is subshell for PowerShell. Its session ends with it, however it ends.
func powerBlock(connect, disconnect string, commands ...[]string) []string {
	return slices.Concat([]string{"& {", "$ErrorActionPreference = 'Stop'", connect, "try {"}, slices.Concat(commands...),
		[]string{"} finally {", disconnect, "}", "}"})
}

// ssoBlock is powerBlock for commands of the module VMware.vSphere.SsoAdmin. These are functions of a script module, which does not
// read the caller's $ErrorActionPreference: each says for itself that an error ends the block.
func (s *snapshot) ssoBlock(commands ...[]string) []string {
	return powerBlock("$credential = Get-Credential -Message 'a member of the SSO group Administrators'\n"+
		"$sso = Connect-SsoAdminServer -Server "+script.PowerShell(s.spec.Server)+
		" -User $credential.UserName -Password $credential.GetNetworkCredential().Password -ErrorAction Stop",
		"Disconnect-SsoAdminServer -Server $sso", commands...)
}

func (s *snapshot) govcLogin() []string {
	return []string{
		"set -e", "# GOVC_USERNAME and GOVC_PASSWORD are yours; GOVC_TLS_CA_CERTS may name the CA of the vCenter",
		"export GOVC_URL=" + script.Shell(s.url()),
	}
}

func (s *snapshot) url() string {
	if s.spec.Port == 0 || s.spec.Port == 443 {
		return "https://" + s.spec.Server
	}
	return fmt.Sprintf("https://%s:%d", s.spec.Server, s.spec.Port)
}

// govcAccount makes an account. govc takes the password as an argument, so that the list of processes of the machine
// shows it for as long as the call takes; there is no other way with govc.
func govcAccount(a *orderAccount) []string {
	name := script.Shell(a.name)
	return []string{
		"if govc sso.user.id " + name + " >/dev/null 2>&1; then",
		"  echo " + script.Shell(term.Line("account "+a.name+" exists: it is kept as it is")),
		"else",
		"  read -rsp " + script.Shell(term.Line("password of the new account "+a.name+": ")) + " OCP_PASSWORD; echo",
		`  govc sso.user.create -d ` + script.Shell(a.description) + ` -p "$OCP_PASSWORD" ` + name,
		"  unset OCP_PASSWORD",
		"fi",
	}
}

// govcSetRole gives a role exactly these privileges, whether it exists or not: without -a or -r role.update replaces the list.
var govcSetRole = []string{
	"ocp_role() {",
	`  if govc role.ls -- "$1" >/dev/null 2>&1; then govc role.update -- "$@"; else govc role.create -- "$@"; fi`,
	"}",
}

func govcRole(c *plan.Change) string {
	after, _ := c.After.(plan.RoleState)
	return "ocp_role " + strings.Join(script.Each(append([]string{c.Name}, after.Privileges...), script.Shell), " ")
}

// govcRoleGone fails where somebody was given the role meanwhile.
func govcRoleGone(c *plan.Change) string {
	name := script.Shell(c.Name)
	return "if govc role.ls -- " + name + " >/dev/null 2>&1; then govc role.remove -- " + name + "; fi"
}

// govcFolder: the parent is a pattern, the new name is not. govc cuts it at each slash, so one with a slash in it is made
// by other means.
func govcFolder(c *plan.Change) string {
	name := unstored(path.Base(c.Name))
	if strings.Contains(name, "/") {
		return "govc object.collect -s " + script.Govc(c.Name) + " name # govc cannot create a folder with a slash in its name: create it first in the vSphere Client"
	}
	return "govc object.collect -s " + script.Govc(c.Name) + " name >/dev/null 2>&1 || govc folder.create " + script.Govc(path.Dir(c.Name)) + "/" + script.Shell(name)
}

func govcPermission(c *plan.Change) string {
	words := []string{"govc permissions.set -principal", script.Shell(c.Principal)}
	if c.Verb == plan.Delete {
		words[0] = "govc permissions.remove -f -principal" // -f: one that is gone is no error
	}
	if c.Group {
		words = append(words, "-group")
	}
	if after, ok := c.After.(plan.PermissionState); ok {
		words = append(words, "-role", script.Shell(after.Role), fmt.Sprintf("-propagate=%t", after.Propagate))
	}
	if c.Object != "/" { // without a path govc means the root folder
		words = append(words, script.Govc(c.Object))
	}
	return strings.Join(words, " ")
}

// viBlock is powerBlock for commands of PowerCLI.
func (s *snapshot) viBlock(commands ...[]string) []string {
	port := ""
	if s.spec.Port != 0 && s.spec.Port != 443 {
		port = fmt.Sprintf(" -Port %d", s.spec.Port)
	}
	return powerBlock("$vc = Connect-VIServer -Server "+script.PowerShell(s.spec.Server)+port+" -Credential (Get-Credential)",
		"Disconnect-VIServer -Server $vc -Confirm:$false", commands...)
}

// powerViews are the parts of the API that the functions below call.
var powerViews = []string{
	"$service = Get-View ServiceInstance -Server $vc",
	"$search = Get-View $service.Content.SearchIndex -Server $vc",
	"$authorization = Get-View $service.Content.AuthorizationManager -Server $vc",
}

// powerSetRole gives a role exactly these privileges, whether it exists or not.
var powerSetRole = []string{
	"function Set-OcpRole($Name, $Privileges) {",
	"  $found = $authorization.RoleList | Where-Object { $_.Name -ceq $Name }",
	"  if ($found) { $authorization.UpdateAuthorizationRole($found.RoleId, $Name, $Privileges) }",
	"  else { [void]$authorization.AddAuthorizationRole($Name, $Privileges) }",
	"}",
}

// powerHelpers find objects by their path, of whatever kind, and set permissions as the API does, so that one line serves
// a new permission and a changed one.
var powerHelpers = []string{
	"function Find-OcpObject($Path) {",
	"  if ($Path -ceq '/') { return $service.Content.RootFolder }",
	"  $found = $search.FindByInventoryPath($Path)",
	"  if (-not $found) { throw \"there is no $Path\" }",
	"  return $found",
	"}",
	"function Set-OcpPermission($Path, $Principal, $Group, $Role, $Propagate) {",
	"  $permission = New-Object VMware.Vim.Permission",
	"  $permission.Principal = $Principal; $permission.Group = $Group; $permission.Propagate = $Propagate",
	"  $found = $authorization.RoleList | Where-Object { $_.Name -ceq $Role }",
	"  if (-not $found) { throw \"there is no role $Role\" }",
	"  $permission.RoleId = $found.RoleId",
	"  $authorization.SetEntityPermissions((Find-OcpObject $Path), @($permission))",
	"}",
	"function Remove-OcpPermission($Path, $Principal, $Group) {",
	"  try { $authorization.RemoveEntityPermission((Find-OcpObject $Path), $Principal, $Group) } catch {",
	"    $fault = $_.Exception",
	"    while ($fault.InnerException -and -not $fault.MethodFault) { $fault = $fault.InnerException }",
	"    if ($fault.MethodFault -isnot [VMware.Vim.NotFound]) { throw } # one that is gone is no error",
	"  }",
	"}",
}

func powerAccount(a *orderAccount) []string {
	name := script.PowerShell(a.name)
	return []string{
		"if (Get-SsoPersonUser -Server $sso -Name " + name + " -Domain " + script.PowerShell(a.domain) + " -ErrorAction Stop | Where-Object { $_.Name -eq " + name + " }) {",
		"  Write-Host " + script.PowerShell(term.Line("account "+a.name+" exists: it is kept as it is")),
		"} else {",
		"  $password = Read-Host -AsSecureString " + script.PowerShell(term.Line("password of the new account "+a.name)),
		"  New-SsoPersonUser -Server $sso -UserName " + name + " -Description " + script.PowerShell(a.description) +
			" -Password ([System.Net.NetworkCredential]::new('', $password).Password) -ErrorAction Stop",
		"}",
	}
}

func powerRole(c *plan.Change) string {
	after, _ := c.After.(plan.RoleState)
	return "Set-OcpRole " + script.PowerShell(c.Name) + " @(" + strings.Join(script.Each(after.Privileges, script.PowerShell), ", ") + ")"
}

// powerRoleGone fails where somebody was given the role meanwhile.
func powerRoleGone(c *plan.Change) string {
	return "Get-VIRole -Server $vc | Where-Object { $_.Name -ceq " + script.PowerShell(c.Name) + " } | Remove-VIRole -Confirm:$false"
}

func powerFolder(c *plan.Change) string {
	return "if (-not $search.FindByInventoryPath(" + script.PowerShell(c.Name) + ")) { [void](Get-View (Find-OcpObject " + script.PowerShell(path.Dir(c.Name)) +
		") -Server $vc).CreateFolder(" + script.PowerShell(unstored(path.Base(c.Name))) + ") }"
}

func powerPermission(c *plan.Change) string {
	group := map[bool]string{true: "$true", false: "$false"}
	if c.Verb == plan.Delete {
		return strings.Join([]string{"Remove-OcpPermission", script.PowerShell(c.Object), script.PowerShell(c.Principal), group[c.Group]}, " ")
	}
	after, _ := c.After.(plan.PermissionState)
	return strings.Join([]string{
		"Set-OcpPermission", script.PowerShell(c.Object), script.PowerShell(c.Principal), group[c.Group], script.PowerShell(after.Role), group[after.Propagate],
	}, " ")
}

// lines are the commands of some changes.
func lines(changes []*plan.Change, command func(*plan.Change) string) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = command(c)
	}
	return slices.Clip(out)
}
