package command

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// RecipientFlags name the recipients of encrypted passwords, on the command line alone.
type RecipientFlags struct {
	Keys  []string // --recipient
	Files []string // --recipients-file
}

// The names of the flags for recipients.
const (
	RecipientFlag      = "recipient"
	RecipientsFileFlag = "recipients-file"
)

// Register adds the flags to cmd; what is its output.
func (r *RecipientFlags) Register(cmd *cobra.Command, what string) {
	p := cmd.Flags()
	p.StringArrayVar(&r.Keys, RecipientFlag, nil, what+" to this age or SSH public key")
	p.StringArrayVar(&r.Files, RecipientsFileFlag, nil, "encrypt to every public key in this file")
	MarkCommandLineOnly(cmd, RecipientFlag, RecipientsFileFlag)
	_ = cmd.MarkFlagFilename(RecipientsFileFlag)
}

// Given reports whether a recipient is named.
func (r *RecipientFlags) Given() bool { return len(r.Keys)+len(r.Files) > 0 }

// Resolve reads the keys. It refuses a file that others can change, because they could add a key.
func (r *RecipientFlags) Resolve(f *Factory) (all []sealed.Recipient, err error) {
	const form = "--" + RecipientFlag + " takes the key itself; --" + RecipientsFileFlag + " a file of keys, such as a .pub file"
	if err := sealed.Allowed(); err != nil && r.Given() {
		return nil, err
	}
	for i, text := range r.Keys {
		key, err := sealed.ParseRecipient(text)
		if err != nil {
			return nil, hint.Wrap(BadFlag(RecipientFlag, "number %d %w", i+1, err), form)
		}
		all = append(all, key)
	}
	for _, path := range r.Files {
		if path == "-" {
			return nil, BadFlag(RecipientsFileFlag, "is not read from stdin: <(command) is a file")
		}
		err := files.Check(path, files.OthersWrite)
		var data []byte
		if err == nil {
			data, err = files.Read(path, files.Text)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, BadFlag(RecipientsFileFlag, "%s does not exist", path)
		}
		if err != nil {
			return nil, BadFlag(RecipientsFileFlag, "%w", err)
		}
		keys, warnings, err := sealed.ParseRecipients(path, files.AsUTF8(data))
		if err != nil {
			return nil, hint.Wrap(BadFlag(RecipientsFileFlag, "%w", err), form)
		}
		f.Warn(warnings...)
		all = append(all, keys...)
	}
	return all, nil
}

// IdentityFlags name private keys that decrypt.
type IdentityFlags struct {
	Files []string // --identity
}

// IdentityFlag is the name of the flag for the key of a recipient.
const IdentityFlag = "identity"

// Register adds the flag to cmd.
func (i *IdentityFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&i.Files, IdentityFlag, nil,
		"decrypt with the age or SSH private key in this file")
	MarkCommandLineOnly(cmd, IdentityFlag)
	_ = cmd.MarkFlagFilename(IdentityFlag)
}

// Open decrypts data in memory, and gives data that is not encrypted as it is.
func (i *IdentityFlags) Open(ctx context.Context, f *Factory, name string, data []byte) ([]byte, error) {
	switch {
	case sealed.Is(data) && len(i.Files) == 0:
		return nil, hint.Errorf("set --identity to the file of the private key that it was encrypted for", "%s is encrypted", name)
	case !sealed.Is(data) && len(i.Files) > 0:
		return nil, hint.Errorf("without --identity it is read as plain text", "--identity: %s is not an age file", name)
	case !sealed.Is(data):
		return data, nil
	}
	keys, err := i.Keys(ctx, f)
	if err != nil {
		return nil, err
	}
	plain, err := sealed.Open(name, data, keys)
	if err == nil && len(bytes.TrimSpace(plain)) == 0 {
		err = BadFlag(IdentityFlag, "%s is empty after decryption", name)
	}
	return plain, err
}

// Keys reads the private keys; a passphrase is asked for once.
func (i *IdentityFlags) Keys(ctx context.Context, f *Factory) (all []sealed.Identity, err error) {
	if err := sealed.Allowed(); err != nil && len(i.Files) > 0 {
		return nil, err
	}
	for _, path := range i.Files {
		own, err := sealed.ReadIdentities(path, func(label string) (secret.Secret, error) {
			return f.Password(ctx, label)
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, BadFlag(IdentityFlag, "%s does not exist", path)
		}
		if err != nil {
			return nil, BadFlag(IdentityFlag, "%w", err)
		}
		all = append(all, own...)
	}
	return all, nil
}

// IsFree refuses a path with something that no earlier run has written.
func IsFree(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return BadFlag("out", "%w", err)
	case !info.Mode().IsRegular():
		return BadFlag("out", "%s is not a regular file", path)
	}
	data, err := files.Read(path, files.Dump)
	switch {
	case err != nil:
		return BadFlag("out", "%w", err)
	case !sealed.Is(data):
		return hint.Wrap(BadFlag("out", "%s exists and is not an age file: it is not overwritten", path),
			"choose another file")
	}
	return nil
}

// HeldFlags name the directory of secrets that wait for their namespaces, and their readers.
type HeldFlags struct {
	Dir        string // --held
	Recipients RecipientFlags
	Identity   IdentityFlags
}

// Register adds the flags to cmd.
func (h *HeldFlags) Register(cmd *cobra.Command) {
	DirFlag(cmd, &h.Dir, "held", "directory of secrets whose namespaces do not exist yet")
	MarkCommandLineOnly(cmd, "held")
	h.Recipients.Register(cmd, "encrypt held secrets")
	h.Identity.Register(cmd)
}

// Directory has a cluster's held secrets, with the given keys; s may be nil.
func (h *HeldFlags) Directory(ctx context.Context, f *Factory, s *spec.Spec) (held.Dir, error) {
	d := held.Dir{Path: h.Dir}
	if s != nil {
		d.Cluster = s.Cluster
	}
	to, err := h.Recipients.Resolve(f)
	if err != nil {
		return d, err
	}
	if len(to) > 0 {
		d.Seal = func(plain []byte) ([]byte, error) { return sealed.Seal(plain, to) }
		if _, err := d.Seal(nil); err != nil { // keys that do not go together
			return d, BadFlag(RecipientFlag, "%w", err)
		}
	}
	keys, err := h.Identity.Keys(ctx, f)
	if err == nil && len(keys) > 0 {
		d.Open = func(name string, data []byte) ([]byte, error) { return sealed.Open(name, data, keys) }
	}
	return d, err
}
