package job

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Handover is where new passwords go, encrypted, if this person must not keep them.
type Handover struct {
	command string
	out     string
	to      []sealed.Recipient
	there   bool // a file was there before, which cannot be read

	unknown []*finding.Finding // accounts with a password in the file of an earlier run
}

// CheckHandover refuses one of --recipient and --out without the other.
func CheckHandover(r *command.RecipientFlags, out string) error {
	switch {
	case r.Given() && out == "":
		return hint.Errorf("set --out FILE: the passwords are encrypted there before any vCenter gets one", "--recipient: --out is required")
	case !r.Given() && out != "":
		return hint.Errorf("--recipient KEY, or --recipients-file FILE",
			"--out: --recipient or --recipients-file is required, because the file is encrypted")
	}
	return nil
}

// RegisterHandover adds the flags for recipients and their file.
func RegisterHandover(cmd *cobra.Command, r *command.RecipientFlags, out *string) {
	r.Register(cmd, "write no credentials file, and encrypt the passwords")
	cmd.Flags().StringVar(out, "out", "", "with --recipient: the encrypted file, which is new")
	command.MarkCommandLineOnly(cmd, "out")
	_ = cmd.MarkFlagFilename("out", "age")
}

// NewHandover is that of the command called name; nil = no recipient.
func NewHandover(f *command.Factory, name string, r *command.RecipientFlags, out string) (*Handover, error) {
	if !r.Given() {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	to, err := r.Resolve(f)
	if err != nil {
		return nil, err
	}
	if _, err := sealed.Seal(nil, to); err != nil { // keys that do not go together
		return nil, command.BadFlag(command.RecipientFlag, "%w", err)
	}
	return &Handover{command: name, out: out, to: to}, command.IsFree(out)
}

// open makes the passwords of a job without earlier ones and saves them encrypted. path is the
// credentials file, which is locked and not written; unlock frees it.
func (h *Handover) open(o *Options, wanted *spec.Spec, path string, unlock func()) (p passwords, err error) {
	p = passwords{path: h.out, unlock: unlock}
	defer func() {
		if err != nil {
			p.unlock()
		}
	}()
	if command.SameFile(h.out, path) {
		return p, command.BadFlag("out", "%s is the credentials file", path)
	}
	release, err := credfile.Lock(h.out, "name a file elsewhere")
	if err != nil {
		return p, command.BadFlag("out", "%w", err)
	}
	p.unlock = func() { release(); unlock() }
	h.there = !command.Missing(h.out)
	file, err := o.OpenAt(path, false)
	if err != nil {
		return p, err
	}
	journal, err := file.Journal()
	if err != nil {
		return p, err
	}
	for _, kept := range []*credfile.File{file, journal} {
		if err := h.keepsNone(wanted, kept); err != nil {
			return p, err
		}
	}
	p.file, err = credfile.NewSealed(path, h.out, func(text []byte) ([]byte, error) { return sealed.Seal(text, h.to) })
	return p, err
}

// keepsNone refuses a credentials file that has some passwords of these accounts.
func (h *Handover) keepsNone(wanted *spec.Spec, file *credfile.File) error {
	for _, v := range wanted.VCenters {
		for _, c := range wanted.ComponentNames() {
			a, ok := file.Get(v.Server, c)
			if account := wanted.Account(c); ok && account.Ours() && account.Generation(a.User) > 0 {
				return hint.Wrap(fmt.Errorf("--recipient: %s has the password of %s for %s already",
					file.Path(), a.User, v.Server),
					"run "+h.command+" without --recipient and --out to use that file, and 'credentials export' to encrypt it",
					"if these are not the passwords of this cluster, choose another file with --credentials-file")
			}
		}
	}
	return nil
}

// Check refuses a plan that sets passwords if their file exists. Nothing was done then.
func (h *Handover) Check(p *plan.Plan) error {
	if h == nil || !h.there {
		return nil
	}
	n := 0
	for _, c := range p.Changes() {
		if after, _ := c.After.(plan.UserState); c.Kind == plan.User && c.Verb == plan.Create || after.NewPassword {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return hint.Wrap(fmt.Errorf("--out: %s exists and may be the only copy of passwords of existing accounts; nothing was done", h.out),
		"keep it, and choose another file for the new passwords of "+term.Count(n, "account"),
		"recipients import both in the order of their creation, the later one with --replace")
}

// expect removes findings of unknown passwords from a plan: a handover keeps none.
func (h *Handover) expect(p *plan.Plan) {
	if h == nil {
		return
	}
	h.unknown = nil
	p.Findings = slices.DeleteFunc(p.Findings, func(f *finding.Finding) bool {
		if f.Code != finding.LostPassword {
			return false
		}
		h.unknown = append(h.unknown, f)
		return true
	})
}

func (h *Handover) written(w *Run) {
	switch {
	case command.Missing(h.out):
		w.Infof("no password was set: %s was not written", h.out)
	case h.there:
		w.Infof("no password was set: %s is unchanged", h.out)
	default:
		w.Infof("the passwords are in %s, encrypted to %s, and nowhere else", h.out,
			term.Count(len(h.to), "recipient"))
	}
	w.Advice().Fill(w.Credentials, h.unknown)
	for _, f := range h.unknown {
		w.Warnf("%s", f.Text)
		w.Hint("the recipients of the file that was written when the accounts were created have them: " + w.CommandLine("credentials import", nil, "--identity", "KEY", "FILE"))
		for _, command := range f.Remedies {
			w.Hint("if that file is lost: " + command)
		}
	}
}

// Next prints the steps of the recipient.
func (h *Handover) Next(w *Run) {
	if command.Missing(h.out) {
		return
	}
	words := []string{"--identity", "KEY", h.out}
	if len(h.unknown) > 0 && !h.there { // an earlier file may have an old password
		words = append([]string{"--replace"}, words...)
	}
	w.Todof("verify needs the passwords: a recipient imports them and verifies:")
	w.Due(w.CommandLine("credentials import", w.storing(), words...))
	w.Next(w.CommandLine("verify", w.Invocation.Without(command.CredentialsFileFlag)))
}

// storing names the provisioning file where it says which credentials file is meant.
func (r *Run) storing() command.Invocation {
	if r.Wanted.CredentialsFile == "" {
		return nil
	}
	return r.Connection.Source.OfFile(r.Invocation)
}

// NextAfterRotation prints the recipient's steps after a rotation in place.
func (h *Handover) NextAfterRotation(w *Run, p *plan.Plan) {
	if command.Missing(h.out) {
		return
	}
	w.Todof("a recipient imports the passwords and applies the secrets now: %s", w.OldPasswords())
	w.Due(w.CommandLine("credentials import", w.storing(), "--replace", "--identity", "KEY", h.out))
	w.PrintDeliveries(p, w.Invocation.Without(command.CredentialsFileFlag)) // they have their own
	w.PrintRestarts()
}
