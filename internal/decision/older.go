package decision

import (
	"errors"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// OlderFile is a finding, if there is one, about accounts that replaced those of the credentials file, which does not know them.
func (e *Snapshots) OlderFile() []*finding.Finding {
	f := finding.New(finding.OlderFile, "", "")
	for _, s := range e.All {
		if s.Err != nil {
			continue
		}
		for _, r := range s.Older() {
			f.Accounts = append(f.Accounts, finding.Account{Server: s.VCenter.Server, Component: r.Next.Component, Principal: r.Next.Principal(s)})
		}
		if refusal := (*hint.Error)(nil); errors.As(s.CheckOlder(), &refusal) {
			f.Remedies = lists.AppendNew(f.Remedies, refusal.Hints()...)
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	f.Text = e.Credentials.Path() + " is older than " + many(f, "an account that replaced the one it has", "%d accounts that replaced those it has") + ": " + folded(f.Accounts)
	return []*finding.Finding{f}
}
