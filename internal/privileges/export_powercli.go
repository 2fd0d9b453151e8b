package privileges

import (
	"cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

const powercliRun = `
foreach ($target in $targets) {
    $name = $target.Server
    $connection = Connect-VIServer @target -Credential $Credential
    try {
        $all = @(Get-VIPrivilege -PrivilegeItem -Server $connection)
        $known = @($all | ForEach-Object { $_.Id })
        foreach ($wanted in $roles) {
            $unknown = @($wanted.Privileges | Where-Object { $known -cnotcontains $_ })
            foreach ($id in $unknown) {
                Write-Warning "${name}: role $($wanted.Name): privilege $id is unknown to this vCenter, omitted"
            }
            $privileges = @($all | Where-Object { $wanted.Privileges -ccontains $_.Id })
            if ($privileges.Count -eq 0) {
                Write-Warning "${name}: role $($wanted.Name): no privilege is left, not created"
                continue
            }
            # compared here, because -Name would take wildcards
            $role = Get-VIRole -Server $connection | Where-Object { $_.Name -ceq $wanted.Name }
            if (-not $role) {
                New-VIRole -Name $wanted.Name -Privilege $privileges -Server $connection | Out-Null
                Write-Output "${name}: role $($wanted.Name): created"
                continue
            }
            $have = @(Get-VIPrivilege -Role $role | Where-Object { $_.Id -notlike 'System.*' })
            $holds = @($have | ForEach-Object { $_.Id })
            $missing = @($privileges | Where-Object { $holds -cnotcontains $_.Id })
            $excess = @($have | Where-Object { $wanted.Privileges -cnotcontains $_.Id })
            if ($missing.Count -gt 0) {
                $role = Set-VIRole -Role $role -AddPrivilege $missing -Server $connection
            }
            if ($excess.Count -gt 0) {
                $role = Set-VIRole -Role $role -RemovePrivilege $excess -Server $connection
            }
            Write-Output "${name}: role $($wanted.Name): $($missing.Count) added, $($excess.Count) removed"
        }
    }
    finally {
        Disconnect-VIServer -Server $connection -Confirm:$false
    }
}
`

// powercli writes a PowerShell script. Cmdlets: developer.broadcom.com, PowerCLI reference, VIRole and VIPrivilege.
func (e *export) powercli() {
	e.head("", "Privileges are removed only from the roles listed here. The script stops at the first error; it can be run again.")
	e.line("\n#Requires -Modules VMware.VimAutomation.Core\n")
	e.line("param(")
	if len(e.o.VCenters) == 0 {
		e.line("    [Parameter(Mandatory)][string[]]$Server,")
	}
	e.line("    [Parameter(Mandatory)][pscredential]$Credential\n)\n")
	e.line("Set-StrictMode -Version 3.0\n$ErrorActionPreference = 'Stop'\n")
	if len(e.o.VCenters) == 0 {
		e.line("$targets = @($Server | ForEach-Object { @{ Server = $_ } })\n")
	} else {
		e.line("$targets = @(")
		for i, v := range e.o.VCenters {
			e.line("    @{ Server = %s; Port = %d }%s", script.Ps1(v.Host), cmp.Or(v.Port, 443), comma(i, len(e.o.VCenters)))
		}
		e.line(")\n")
	}
	e.line("$roles = @(")
	for i, d := range e.roles {
		e.line("    # %s", d.about())
		e.line("    @{\n        Name = %s\n        Privileges = @(", script.Ps1(d.Name))
		groups := d.byScope()
		for j, g := range groups {
			e.privileges(g, "            ", func(id string) string {
				last := j == len(groups)-1 && id == g.privileges[len(g.privileges)-1]
				return script.Ps1(id) + map[bool]string{true: "", false: ","}[last]
			})
		}
		e.line("        )\n    }%s", comma(i, len(e.roles)))
	}
	e.line(")")
	e.out.WriteString(powercliRun)
}

// comma stands behind all of n but the last.
func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}
