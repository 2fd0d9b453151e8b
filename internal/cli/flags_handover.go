package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// recipientFlags say whom passwords are encrypted to. Only the command line says that: no setting hands passwords to somebody.
type recipientFlags struct {
	Keys  []string // --recipient
	Files []string // --recipients-file
}

const recipientFlag, recipientsFileFlag = "recipient", "recipients-file"

// Register adds the flags to cmd; what is what becomes of the output.
func (r *recipientFlags) Register(cmd *cobra.Command, what string) {
	p := cmd.Flags()
	p.StringArrayVar(&r.Keys, recipientFlag, nil, what+" to this public key: age1..., or a line with ssh-ed25519 or ssh-rsa (repeatable)")
	p.StringArrayVar(&r.Files, recipientsFileFlag, nil, "encrypt to every public key in this file, one per line, as for age -R (repeatable)")
	markCommandLineOnly(cmd, recipientFlag, recipientsFileFlag)
	_ = cmd.MarkFlagFilename(recipientsFileFlag)
}

// given reports whether anybody is named.
func (r *recipientFlags) given() bool { return len(r.Keys)+len(r.Files) > 0 }

// Resolve reads the keys. Whoever can change a file of them can add a key of his own, so one that others can change is refused.
func (r *recipientFlags) Resolve(f *Factory) (all []sealed.Recipient, err error) {
	const form = "--" + recipientFlag + " takes the key itself; --" + recipientsFileFlag + " a file of keys, such as a .pub file"
	for i, text := range r.Keys {
		key, err := sealed.ParseRecipient(text)
		if err != nil {
			return nil, hint.Wrap(badFlag(recipientFlag, "number %d %w", i+1, err), form)
		}
		all = append(all, key)
	}
	for _, path := range r.Files {
		if path == "-" {
			return nil, badFlag(recipientsFileFlag, "is not read from stdin: <(command) is a file")
		}
		err := files.Check(path, files.OthersWrite)
		var data []byte
		if err == nil {
			data, err = files.Read(path, files.Text)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, badFlag(recipientsFileFlag, "%s does not exist", path)
		}
		if err != nil {
			return nil, badFlag(recipientsFileFlag, "%w", err)
		}
		keys, warnings, err := sealed.ParseRecipients(path, asUTF8(data))
		if err != nil {
			return nil, hint.Wrap(badFlag(recipientsFileFlag, "%w", err), form)
		}
		f.warn(warnings...)
		all = append(all, keys...)
	}
	return all, nil
}

// identityFlags say which private keys open what is encrypted.
type identityFlags struct {
	Files []string // --identity
}

const identityFlag = "identity"

// Register adds the flag to cmd.
func (i *identityFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&i.Files, identityFlag, nil, "decrypt with the private key in this file: an age identity or an SSH key (repeatable)")
	markCommandLineOnly(cmd, identityFlag)
	_ = cmd.MarkFlagFilename(identityFlag)
}

// open decrypts data in memory where it is encrypted, and gives the rest as it is.
func (i *identityFlags) open(ctx context.Context, f *Factory, name string, data []byte) ([]byte, error) {
	switch {
	case sealed.Is(data) && len(i.Files) == 0:
		return nil, hint.Errorf("set --identity to the file of the private key that it was encrypted for", "%s is encrypted", name)
	case !sealed.Is(data) && len(i.Files) > 0:
		return nil, hint.Errorf("without --identity it is read as plain text", "--identity: %s is not an age file", name)
	case !sealed.Is(data):
		return data, nil
	}
	keys, err := i.keys(ctx, f)
	if err != nil {
		return nil, err
	}
	plain, err := sealed.Open(name, data, keys)
	if err == nil && len(bytes.TrimSpace(plain)) == 0 {
		err = badFlag(identityFlag, "%s is empty after decryption", name)
	}
	return plain, err
}

// keys reads the private keys; a passphrase is asked for once.
func (i *identityFlags) keys(ctx context.Context, f *Factory) (all []sealed.Identity, err error) {
	for _, path := range i.Files {
		own, err := sealed.ReadIdentities(path, func(label string) (secret.Secret, error) { return f.Password(ctx, label) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil, badFlag(identityFlag, "%s does not exist", path)
		}
		if err != nil {
			return nil, badFlag(identityFlag, "%w", err)
		}
		all = append(all, own...)
	}
	return all, nil
}

// isFree refuses a path where something is that no earlier run has written: no file can be made of it, or it is somebody else's
// file, which would be called the one with the passwords.
func isFree(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return badFlag("out", "%w", err)
	case !info.Mode().IsRegular():
		return badFlag("out", "%s is not a regular file", path)
	}
	data, err := files.Read(path, files.Dump)
	switch {
	case err != nil:
		return badFlag("out", "%w", err)
	case !sealed.Is(data):
		return hint.Wrap(badFlag("out", "%s exists and is not an age file: it is not overwritten", path), "choose another file")
	}
	return nil
}
