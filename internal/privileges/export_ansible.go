package privileges

import (
	"cmp"
	"strconv"
	"strings"
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
			e.line("      - hostname: %s\n        port: %d", ansible(v.Host), cmp.Or(v.Port, 443))
		}
	}
	e.line("  tasks:")
	for _, d := range e.roles {
		e.line("    # %s", d.about())
		e.line("    - name: %s", ansible("Role "+d.Name))
		e.line("      community.vmware.vmware_local_role_manager:")
		if len(e.o.VCenters) > 0 {
			e.line("        hostname: \"{{ item.hostname }}\"\n        port: \"{{ item.port }}\"")
		}
		e.line("        local_role_name: %s", ansible(d.Name))
		e.line("        state: present\n        action: set\n        local_privilege_ids:")
		for _, g := range d.byScope() {
			e.privileges(g, "          ", func(id string) string { return "- " + ansible(id) })
		}
		if len(e.o.VCenters) > 0 {
			e.line("      loop: \"{{ vcenters }}\"")
		}
	}
}

// ansible quotes for YAML, whose double-quoted strings know all escapes that Go writes, and keeps Ansible from reading a template
// in it. Sources: YAML 1.2, 5.7; Ansible documentation, Advanced playbook syntax, unsafe or raw strings.
func ansible(s string) string {
	quoted := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#") {
		return "!unsafe " + quoted
	}
	return quoted
}
