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
	return []string{
		"read -rsp " + script.Shell(term.Line("password of the new account "+a.name+": ")) + " OCP_PASSWORD; echo",
		`govc sso.user.create -d ` + script.Shell(a.description) + ` -p "$OCP_PASSWORD" ` + script.Shell(a.name),
		"unset OCP_PASSWORD",
	}
}

func govcRole(c *plan.Change) string {
	after, _ := c.After.(plan.RoleState)
	verb := "role.create -- "
	if c.Verb == plan.Update {
		verb = "role.update -- " // without -a or -r it replaces the whole list
	}
	return "govc " + verb + strings.Join(script.Each(append([]string{c.Name}, after.Privileges...), script.Shell), " ")
}

// govcRoleGone fails where somebody was given the role meanwhile.
func govcRoleGone(c *plan.Change) string { return "govc role.remove -- " + script.Shell(c.Name) }

func govcRoleUnless(c *plan.Change) string {
	return "govc role.ls -- " + script.Shell(c.Name) + " >/dev/null 2>&1 || " + govcRole(c)
}

// govcFolder: the parent is a pattern, the new name is not. govc cuts it at each slash, so one with a slash in it is made
// by other means.
func govcFolder(c *plan.Change) string {
	name := unstored(path.Base(c.Name))
	if strings.Contains(name, "/") {
		return "govc object.collect -s " + script.Govc(c.Name) + " name # govc cannot create a folder with a slash in its name: create it first in the vSphere Client"
	}
	return "govc folder.create " + script.Govc(path.Dir(c.Name)) + "/" + script.Shell(name)
}

func govcPermission(c *plan.Change) string {
	words := []string{"govc permissions.set -principal", script.Shell(c.Principal)}
	if c.Verb == plan.Delete {
		words[0] = "govc permissions.remove -principal"
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

// powerHelpers find objects by their path, of whatever kind, and set permissions as the API does, so that one line serves
// a new permission and a changed one.
var powerHelpers = []string{
	"$service = Get-View ServiceInstance -Server $vc",
	"$search = Get-View $service.Content.SearchIndex -Server $vc",
	"$authorization = Get-View $service.Content.AuthorizationManager -Server $vc",
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
}

func powerAccount(a *orderAccount) []string {
	return []string{
		"$password = Read-Host -AsSecureString " + script.PowerShell(term.Line("password of the new account "+a.name)),
		"New-SsoPersonUser -Server $sso -UserName " + script.PowerShell(a.name) + " -Description " + script.PowerShell(a.description) +
			" -Password ([System.Net.NetworkCredential]::new('', $password).Password) -ErrorAction Stop",
	}
}

func powerRole(c *plan.Change) string {
	after, _ := c.After.(plan.RoleState)
	list := func(ids []string) string {
		return "(Get-VIPrivilege -Server $vc -Id @(" + strings.Join(script.Each(ids, script.PowerShell), ", ") + "))"
	}
	if c.Verb != plan.Update && len(after.Privileges) == 0 {
		return "New-VIRole -Server $vc -Name " + script.PowerShell(c.Name)
	}
	if c.Verb != plan.Update {
		return "New-VIRole -Server $vc -Name " + script.PowerShell(c.Name) + " -Privilege " + list(after.Privileges)
	}
	before, _ := c.Before.(plan.RoleState)
	var lines []string
	set := "Set-VIRole -Confirm:$false -Role (Get-VIRole -Server $vc | Where-Object { $_.Name -ceq " + script.PowerShell(c.Name) + " }) "
	if ids := without(after.Privileges, before.Privileges); len(ids) > 0 {
		lines = append(lines, set+"-AddPrivilege "+list(ids))
	}
	if ids := without(before.Privileges, after.Privileges); len(ids) > 0 {
		lines = append(lines, set+"-RemovePrivilege "+list(ids))
	}
	return strings.Join(lines, "\n")
}

// powerRoleGone fails where somebody was given the role meanwhile.
func powerRoleGone(c *plan.Change) string {
	return "Remove-VIRole -Confirm:$false -Role (Get-VIRole -Server $vc | Where-Object { $_.Name -ceq " + script.PowerShell(c.Name) + " })"
}

func powerRoleUnless(c *plan.Change) string {
	return "if (-not (Get-VIRole -Server $vc | Where-Object { $_.Name -ceq " + script.PowerShell(c.Name) + " })) { " + powerRole(c) + " }"
}

func powerFolder(c *plan.Change) string {
	return "(Get-View (Find-OcpObject " + script.PowerShell(path.Dir(c.Name)) + ") -Server $vc).CreateFolder(" + script.PowerShell(unstored(path.Base(c.Name))) + ")"
}

func powerPermission(c *plan.Change) string {
	group := map[bool]string{true: "$true", false: "$false"}
	if c.Verb == plan.Delete {
		return "$authorization.RemoveEntityPermission((Find-OcpObject " + script.PowerShell(c.Object) + "), " + script.PowerShell(c.Principal) + ", " + group[c.Group] + ")"
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
