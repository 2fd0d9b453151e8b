package privileges

import (
	"cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// ansible writes a playbook. Module and parameters: docs.ansible.com, community.vmware.vmware_local_role_manager.
func (e *export) ansible() {
	e.line("---")
	login := "Log in with the module's variables: VMWARE_HOST, VMWARE_PORT, VMWARE_USER, VMWARE_PASSWORD, VMWARE_VALIDATE_CERTS."
	if len(e.o.VCenters) > 0 {
		login = "Log in with the module's variables: VMWARE_USER, VMWARE_PASSWORD, VMWARE_VALIDATE_CERTS."
	}
	e.head("", "Needs the collection community.vmware. A privilege that a vCenter does not know fails there. "+login)
	e.line("\n- name: Roles for the components of OpenShift\n  hosts: localhost\n  connection: local\n  gather_facts: false")
	if len(e.o.VCenters) > 0 {
		e.line("  vars:\n    vcenters:")
		for _, v := range e.o.VCenters {
			e.line("      - hostname: %s\n        port: %d", script.Ansible(v.Host), cmp.Or(v.Port, 443))
		}
	}
	e.line("  tasks:")
	for _, d := range e.roles {
		e.line("    # %s", d.about())
		e.line("    - name: %s", script.Ansible("Role "+d.Name))
		e.line("      community.vmware.vmware_local_role_manager:")
		if len(e.o.VCenters) > 0 {
			e.line("        hostname: \"{{ item.hostname }}\"\n        port: \"{{ item.port }}\"")
		}
		e.line("        local_role_name: %s", script.Ansible(d.Name))
		e.line("        state: present\n        action: set\n        local_privilege_ids:")
		for _, g := range d.byScope() {
			e.privileges(g, "          ", func(id string) string { return "- " + script.Ansible(id) })
		}
		if len(e.o.VCenters) > 0 {
			e.line("      loop: \"{{ vcenters }}\"")
		}
	}
}
