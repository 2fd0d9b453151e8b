package privileges

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// govcSetup and govcRun stand around the roles of a script. The system role Admin holds everything that a vCenter knows, so
// it tells what cannot be sent.
const govcSetup = `
set -eu

govc=${GOVC:-govc}

say() {
	printf '%s: %s\n' "$GOVC_URL" "$*"
}

# role NAME PRIVILEGE... makes a role, or gives the one that exists exactly these privileges.
role() {
	name=$1
	shift
	left=$#
	while [ "$left" -gt 0 ]; do
		id=$1
		shift
		left=$((left - 1))
		if printf '%s\n' "$known" | grep -Fqx -e "$id"; then
			set -- "$@" "$id"
		else
			say "role $name: privilege $id is unknown to this vCenter, omitted" >&2
		fi
	done
	if [ $# -eq 0 ]; then
		say "role $name: no privilege is left, not created" >&2
	elif "$govc" role.ls -- "$name" >/dev/null 2>&1; then
		"$govc" role.update -- "$name" "$@"
		say "role $name: updated"
	else
		"$govc" role.create -- "$name" "$@"
		say "role $name: created"
	fi
}

roles() {
	known=$("$govc" role.ls Admin)
`

const govcHere = `}

: "${GOVC_URL:?must be set to the vCenter}"
roles
`

// govc writes a POSIX shell script.
func (e *export) govc() {
	e.line("#!/bin/sh")
	login := []string{"", "Log in with govc's own variables: GOVC_URL, GOVC_USERNAME, GOVC_PASSWORD, GOVC_TLS_CA_CERTS. Set GOVC to use another govc."}
	if len(e.o.VCenters) > 0 {
		login = []string{
			"", "Log in with govc's own variables: GOVC_USERNAME, GOVC_PASSWORD, GOVC_TLS_CA_CERTS; GOVC_URL is set below. Set GOVC to use",
			"another govc. The script stops at the first error; it can be run again.",
		}
	}
	e.head(login...)
	e.out.WriteString(govcSetup)
	for _, d := range e.roles {
		e.line("\n\t# %s", d.about())
		e.line("\tset --")
		for _, g := range d.byScope() {
			e.privileges(g, "\t", func(id string) string { return `set -- "$@" ` + script.Sh(id) })
		}
		e.line("\trole %s \"$@\"", script.Sh(d.Name))
	}
	if len(e.o.VCenters) == 0 {
		e.out.WriteString(govcHere)
		return
	}
	e.line("}\n")
	e.line("for server in \\")
	for i, v := range e.o.VCenters {
		end := " \\"
		if i == len(e.o.VCenters)-1 {
			end = ""
		}
		e.line("\t%s%s", script.Sh(v.String()), end)
	}
	e.line("do\n\tGOVC_URL=https://$server\n\texport GOVC_URL\n\troles\ndone")
}
