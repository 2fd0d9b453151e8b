package privileges

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// terraform writes a module for the provider vmware/vsphere (formerly hashicorp/vsphere). What its resources do was read in
// hashicorp/terraform-provider-vsphere, vsphere/resource_vsphere_role.go and resource_vsphere_entity_permissions.go.
func (e *export) terraform() {
	login := "Log in with the provider's variables: VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD."
	if len(e.o.VCenters) > 0 {
		login = "Log in with the provider's variables: VSPHERE_USER, VSPHERE_PASSWORD, the same for all vCenters, or add user and password below."
	}
	e.head(
		"", "Permissions are omitted on purpose. vsphere_entity_permissions manages all permissions of its object: it reads those of",
		"others into its state too, and the next apply removes those that are not listed. The provider has no resource for a",
		"single permission, so foreign permissions cannot be kept.",
		"", "Import an existing role first, or its creation fails:",
		"terraform import 'ADDRESS[\"ROLE\"]' ID, with the id from: govc role.ls -json",
		"A privilege that a vCenter does not know fails there; destroy fails while a permission uses the role.",
		"", login)
	e.line("\nterraform {\n  required_providers {\n    vsphere = {\n      source = \"vmware/vsphere\"\n    }\n  }\n}\n")
	e.line("locals {\n  roles = {")
	for _, d := range e.roles {
		e.line("    # %s", d.about())
		e.line("    %s = [", script.HCL(d.Name))
		for _, g := range d.byScope() {
			e.privileges(g, "      ", func(id string) string { return script.HCL(id) + "," })
		}
		e.line("    ]")
	}
	e.line("  }\n}")
	if len(e.o.VCenters) == 0 {
		e.terraformRoles("roles", "")
		return
	}
	for i, v := range e.o.VCenters {
		alias := fmt.Sprintf("vcenter%d", i+1)
		e.line("\nprovider \"vsphere\" {\n  alias          = %s\n  vsphere_server = %s\n}", script.HCL(alias), script.HCL(v.String()))
		e.terraformRoles(alias, alias)
	}
}

func (e *export) terraformRoles(name, alias string) {
	e.line("\nresource \"vsphere_role\" %s {", script.HCL(name))
	if alias != "" {
		e.line("  provider = vsphere.%s\n", alias)
	}
	e.line("  for_each        = local.roles\n  name            = each.key\n  role_privileges = each.value\n}")
}
