package report

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CheckOptions are the flags of `report check`.
type CheckOptions struct {
	*command.Factory
	File      string
	Signature string
	Signer    string
}

type checked struct {
	command.Header
	File        string `json:"file"`
	Key         string `json:"key"`         // its type
	Fingerprint string `json:"fingerprint"` // SHA-256
	Known       bool   `json:"known"`       // it is the key that --signer names
}

func newCmdCheck(f *command.Factory, runF func(*CheckOptions) error) *cobra.Command {
	o := &CheckOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Check the signature of a report",
		Long: command.Text(`
			Checks that a file is the one that was signed, and says whose key signed it. Whether that key is the right one
			only its owner can tell: compare the fingerprint with 'ssh-keygen -l -f KEY.pub', or name the public key with
			--signer. Exit code 2 if the signature is not of this file, or another key made it.`),
		Example: command.Examples(`
			ocp-vsphere-admin report check evidence.html --signer auditor.pub
			ssh-keygen -Y check-novalidate -n file -s evidence.html.sig <evidence.html`),
		Args: command.OneFile,
		RunE: command.Action(o, runF, checkRun, func(_ *cobra.Command, args []string) error {
			o.File = args[0]
			return nil
		}),
	}
	command.FileFlag(cmd, &o.Signature, "signature",
		"file with the signature; default FILE"+signatureSuffix, "sig")
	command.FileFlag(cmd, &o.Signer, "signer", "file with the public SSH key that must have made it", "pub")
	return cmd
}

func checkRun(_ context.Context, o *CheckOptions) error {
	if o.Signature == "" {
		if o.File == "-" {
			return command.BadFlag("signature", "it is required for stdin")
		}
		o.Signature = o.File + signatureSuffix
		if err := files.CheckRegular(o.Signature); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return command.BadFlag("signature", "%w", err)
		}
	}
	name, data, err := o.ReadText(o.File)
	if err != nil {
		return err
	}
	_, signature, err := o.ReadText(o.Signature)
	if err != nil {
		return hint.Wrap(command.BadFlag("signature", "%w", err),
			"a report has a signature if it was written with --sign")
	}
	key, err := report.CheckSignature(data, signature)
	if err != nil {
		return &command.ExitError{Code: command.ExitDifferent, Err: errors.New(name + ": " + err.Error())}
	}
	known := false
	if o.Signer != "" {
		if known, err = o.signedBy(key); err != nil {
			return err
		}
	}
	v := checked{command.NewHeader("ReportCheck"), name, key.Type(), ssh.FingerprintSHA256(key), known}
	err = o.Records(v, func() *term.Table {
		t := term.NewTable("file", "signed by", "key")
		who := "not compared: name the key with --signer"
		if known {
			who = o.Signer
		}
		t.Row(v.File, v.Key+" "+v.Fingerprint, who)
		return t
	})
	return err
}

func (o *CheckOptions) signedBy(key ssh.PublicKey) (bool, error) {
	_, data, err := o.ReadText(o.Signer)
	if err != nil {
		return false, command.BadFlag("signer", "%w", err)
	}
	want, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return false, command.BadFlag("signer", "%s: this is no public SSH key", o.Signer)
	}
	if !bytes.Equal(want.Marshal(), key.Marshal()) {
		return false, &command.ExitError{
			Code: command.ExitDifferent,
			Err:  errors.New(o.File + ": another key signed it: " + ssh.FingerprintSHA256(key) + ", not " + ssh.FingerprintSHA256(want)),
		}
	}
	return true, nil
}
