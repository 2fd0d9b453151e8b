package plan

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"

// Causes are the parts of a vCenter's Error with what to do about each. A plan that was saved knows only the Error.
func (v *VCenter) Causes() []term.ErrorLine {
	switch {
	case v.cause != nil:
		return term.ErrorLines(v.cause)
	case v.Error != "":
		return []term.ErrorLine{{Text: v.Error}}
	}
	return nil
}
