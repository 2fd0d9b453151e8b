// Package report is the commands that write evidence for auditors, and check it.
package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Options are the flags of `report`.
type Options struct {
	job.Options
	Accounts  job.AccountFlags
	Secrets   command.SecretsFlags
	Overwrite command.OverwriteFlag
	Many      many.Flags

	HTML, Markdown string // files
	HTMLDir        string // of many clusters
	Since          string // an earlier report as JSON
	Exceptions     string // file of exceptions
	Plan           string // the approved one, as plan --out saved it
	Redact         bool
	Recorded       bool
	Sign           string // a private key of SSH
	ExitCode       bool
	Allow          command.Allowed // what is no reason for another exit code

	by       ssh.Signer                // of --sign; nil = nobody signs
	before   map[string]*report.Report // of --since and many clusters
	accepted []report.Exception        // of --exceptions
}

// The formats of findings alone.
const (
	formatCSV   term.Format = "csv"
	formatSARIF term.Format = "sarif"
)

// NewCmd is the command with those below it.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "report",
		Short:   "Write evidence for auditors: who can do what, and why",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Verifies as 'verify' does and writes what an auditor asks for into one file: accounts, permissions, privileges
			with their reasons, the verification, differences between vCenters, administrators, and the changes that the
			vCenters have logged. No report has a password.

			As a table it prints what differs; -o csv and -o sarif print the findings. Keep the output of -o json and pass it
			as --since next time to see what changed. With --sign each file gets a signature (FILE.sig), which 'report check'
			verifies. --exceptions names a file of findings and controls that somebody accepts until a day, of one cluster or
			of many.

			The exit code is 0 when the report is written, or 3 if a vCenter or the accounts of its SSO domain could not be
			read (--allow unseen), 1 if no vCenter could. With --exit-code it is 2 for what 'verify' exits with 2, and if
			others may change or administer objects of the one cluster (--allow strangers), an exception has expired, or the
			approved plan is of another specification. What an exception accepts does not count. Of many clusters, each
			report says who may change it.

			` + many.Help + ` With --html-dir each report is a page, and index.html names them all and says why one differs; --sign
			signs each, and --since takes what -o json printed for many. --plan is for one cluster, and so is --redact: an
			index names clusters.`),
		Example: command.Examples(`
			ocp-vsphere-admin report -f provisioning.yaml --html evidence.html --markdown evidence.md
			ocp-vsphere-admin report -f provisioning.yaml -o json >evidence.json
			ocp-vsphere-admin report -f provisioning.yaml --html evidence.html --since evidence.json --sign ~/.ssh/id_ed25519
			ocp-vsphere-admin report -f provisioning.yaml --exceptions accepted.yaml --exit-code -o sarif >evidence.sarif
			ocp-vsphere-admin report -f clusters/ --html-dir evidence   # many clusters`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.check, o.Many.Check("exit-code", "allow", "output", htmlDirFlag, sinceFlag, signFlag, exceptionsFlag)),
	}
	o.Connection.Source.Several = true
	o.Register(cmd)
	o.Accounts.Register(cmd)
	o.Secrets.Register(cmd, ": show which of them hold an account")
	o.Overwrite.Register(cmd)
	p := cmd.Flags()
	command.FileFlag(cmd, &o.HTML, htmlFlag, "write the report as one HTML file", "html")
	command.FileFlag(cmd, &o.Markdown, markdownFlag, "write the report as Markdown", "md")
	command.FileFlag(cmd, &o.Since, sinceFlag, "an earlier report as JSON: show what changed since", "json")
	command.FileFlag(cmd, &o.Exceptions, exceptionsFlag,
		"file of findings and controls that are accepted until a day", "yaml", "yml")
	command.FileFlag(cmd, &o.Plan, planFlag,
		"approved plan, as plan --out saved it: show whether it is of this specification", "json")
	formats := append(term.Formats(), formatCSV, formatSARIF)
	p.VarP(command.NewChoice(&f.Output, formats), "output", "o", "output format: table, json, yaml, csv, sarif")
	command.CompleteValues(cmd, "output", component.Words(formats))
	p.BoolVar(&o.Redact, "redact", false, "replace names and addresses by numbered ones")
	p.BoolVar(&o.Recorded, "recorded", false, "show which privileges were used, as 'privileges record show' does")
	command.FileFlag(cmd, &o.Sign, signFlag, "sign the files with this private SSH key")
	p.BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 if something was found")
	cliverify.RegisterAllow(cmd, &o.Allow, ", strangers", report.AllowStrangers)
	command.DirFlag(cmd, &o.HTMLDir, htmlDirFlag, "of many clusters: write a page for each, and index.html, into this directory")
	o.Many.Register(cmd, &o.Options, &o.Overwrite, htmlDirFlag)
	command.RunsItself(cmd)
	cmd.AddCommand(newCmdCheck(f, nil), newCmdMerge(f, nil))
	return cmd
}

const (
	htmlFlag, htmlDirFlag, markdownFlag = "html", "html-dir", "markdown"
	sinceFlag, signFlag                 = "since", "sign"
	exceptionsFlag, planFlag            = "exceptions", "plan"
)

func (o *Options) check(*cobra.Command, []string) error {
	if o.Sign != "" && o.HTML == "" && o.Markdown == "" && o.HTMLDir == "" {
		return hint.Wrap(command.BadFlag(signFlag, "no file is written"), "add --html FILE or --markdown FILE; sign what -o json prints with 'ssh-keygen -Y sign -f KEY -n file FILE'")
	}
	for _, f := range o.files() {
		if err := o.Overwrite.Check(f.flag, f.path); err != nil {
			return err
		}
		if o.Sign != "" && f.path != "" {
			if err := o.Overwrite.Check(signFlag, f.path+signatureSuffix); err != nil {
				return err
			}
		}
	}
	if o.HTML != "" && command.SameFile(o.HTML, o.Markdown) {
		return command.BadFlag(markdownFlag, "it is the file of --%s", htmlFlag)
	}
	return nil
}

// signatureSuffix is what ssh-keygen -Y sign appends to the name of a file.
const signatureSuffix = ".sig"

type file struct {
	flag, path string
	text       func(*report.Report) ([]byte, error)
}

func (o *Options) files() []file {
	return []file{
		{htmlFlag, o.HTML, (*report.Report).HTML},
		{markdownFlag, o.Markdown, func(r *report.Report) ([]byte, error) { return r.Markdown(), nil }},
	}
}

func run(ctx context.Context, o *Options) error {
	switch {
	case o.Many.Given() && (o.Output == formatCSV || o.Output == formatSARIF):
		return hint.Wrap(command.BadFlag("output", "%s is for one cluster", o.Output),
			"print -o json, or run report for each cluster")
	case o.Many.Given():
		return runMany(ctx, o)
	case o.HTMLDir != "":
		return hint.Wrap(command.BadFlag(htmlDirFlag, "is for many clusters"), "set --html FILE, or -f DIR")
	}
	earlier, err := o.earlier()
	if err != nil {
		return err
	}
	if o.accepted, err = o.exceptions(); err != nil {
		return err
	}
	if o.by, err = o.signer(ctx); err != nil {
		return err
	}
	dump, err := o.Secrets.Read(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{Looking: true, Accounts: &o.Accounts})
	if err != nil {
		return err
	}
	defer w.Finish()
	if another := dump.AnotherThan(w.Wanted); another != "" {
		return hint.Errorf("give the secrets of this cluster, or none", "%s", another)
	}
	r := New(w, dump != nil)
	r.Exceptions = report.For(o.accepted, r.Cluster)
	if r.Approval, err = o.approval(w, r.Scope); err != nil {
		return err
	}
	if earlier != nil {
		if err := r.CheckComparable(earlier); err != nil {
			return command.BadFlag(sinceFlag, "%s: %w", o.Since, err)
		}
	}
	var holders func(server, user string) []component.Ref
	if dump != nil {
		holders = dump.Holders
	}
	verified := Complete(ctx, w, r, o.Recorded, holders)
	if cause := context.Cause(ctx); cause != nil && o.Redact {
		return cause
	} else if cause != nil {
		return errors.Join(cause, verified.Err())
	}
	judged := judge(verified, r, o.standard(), o.ExitCode)
	if o.Redact {
		r = r.Redact(earlier)
	} else if earlier != nil {
		r.Compare(earlier)
	}
	if err := o.write(r); err != nil {
		return err
	}
	if err := o.print(r); err != nil {
		return err
	}
	o.Infof("%s", r.Verdict())
	return o.apart(judged)
}

// print prints a report in the format that is asked for; as a table nothing if nothing differs.
func (o *Options) print(r *report.Report) error {
	text := r.SARIF
	switch {
	case o.Output == formatCSV:
		text = r.CSV
	case o.Output == term.FormatTable && len(r.Differences) == 0 &&
		(r.Since == nil || len(r.Since.Changes) == 0):
		return nil
	case o.Output != formatSARIF:
		return o.Records(r, func() *term.Table { return differences(r) })
	}
	data, err := text()
	if err != nil {
		return err
	}
	_, err = o.Out.Write(data)
	return err
}

// New is the report of a job before anything is read; secrets = those of the cluster are looked at.
func New(w *job.Run, secrets bool) *report.Report {
	r := report.New(command.Program+" "+w.Build.Version, w.Wanted.Cluster, time.Now())
	m, p, whole := w.Job.Request.Matrix, w.Wanted.Privileges, w.Wanted.Whole()
	r.Scope = report.Scope{
		Profile: w.Wanted.Profile, Matrix: m.Name, Digest: w.MatrixDigest(), AsOf: m.AsOf, Source: m.Source,
		RoleLayout: p.RoleLayout, RolePrefix: p.RolePrefix, Conditions: command.OrEmpty(p.Conditions),
		Components: component.Words(w.Wanted.ComponentNames()), Secrets: secrets,
		VCenters: command.Servers(w.Wanted), Specification: job.SourceDigest(w.Invocation),
		Partial: len(whole.ComponentNames()) > len(w.Wanted.ComponentNames()) ||
			len(whole.VCenters) > len(w.Wanted.VCenters),
	}
	return r
}

// Complete reads and verifies what a report shows. It returns the verification without remedies.
func Complete(ctx context.Context, w *job.Run, r *report.Report, recorded bool,
	holders func(server, user string) []component.Ref,
) *verify.Result {
	w.Job.Report(ctx, r, recorded, holders)
	w.Finish()
	verified := r.Verification
	w.Advice().Fill(w.Credentials, verified.Findings)
	r.Verification = cliverify.Document(w, verified)
	r.Complete()
	return verified
}

func (o *Options) standard() verify.Standard { return verify.Standard{Allow: o.Allow} }

// judge is the error of a report that is incomplete or, if asked for, has findings.
func judge(verified *verify.Result, r *report.Report, by verify.Standard, differing bool) error {
	switch {
	case verified.Err() != nil:
		return cliverify.Judge(verified, by)
	case differing && r.Differs(verified, by):
		return command.Exit(command.ExitDifferent)
	case len(verified.Incomplete) > 0 && !by.Allows(verify.AllowUnseen):
		return command.Exit(command.ExitPartly)
	}
	return nil
}

// apart leaves the names of an error out of a redacted report and of what is printed beside it.
func (o *Options) apart(err error) error {
	if err == nil || !o.Redact {
		return err
	}
	code := command.ExitFailed
	if coded, ok := errors.AsType[*command.ExitError](err); ok {
		code, err = coded.Code, coded.Err
	}
	if err != nil {
		o.Hint("the error names what --redact hides: to read it, run the command without --redact")
	}
	return command.Exit(code)
}

// earlier reads the earlier report to compare with; nil = none is named.
func (o *Options) earlier() (*report.Report, error) {
	if o.Since == "" {
		return nil, nil
	}
	name, data, err := o.ReadText(o.Since)
	if err != nil {
		return nil, command.BadFlag(sinceFlag, "%w", err)
	}
	r, err := report.Read(name, data)
	if err != nil {
		return nil, command.BadFlag(sinceFlag, "%w", err)
	}
	return r, nil
}

// signer reads the private key before the work begins; nil = none is named.
func (o *Options) signer(ctx context.Context) (ssh.Signer, error) {
	if o.Sign == "" {
		return nil, nil
	}
	if data, err := files.Read(o.Sign, files.Text); err == nil {
		if _, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
			return nil, command.BadFlag(signFlag, "%s is a public key: name the private one", o.Sign)
		}
	}
	data, err := files.Read(o.Sign, files.Text, files.CheckPrivate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, command.BadFlag(signFlag, "%s does not exist", o.Sign)
	}
	if err != nil {
		return nil, command.BadFlag(signFlag, "%w", err)
	}
	signer, err := report.ParseSigner(o.Sign, data, func(label string) (secret.Secret, error) { return o.Password(ctx, label) })
	if err != nil {
		return nil, command.BadFlag(signFlag, "%w", err)
	}
	return signer, nil
}

// write writes the named files, each with its signature if wanted.
func (o *Options) write(r *report.Report) error {
	for _, f := range o.files() {
		if f.path == "" {
			continue
		}
		text, err := f.text(r)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if err := o.save(&o.Overwrite, f.flag, f.path, text); err != nil {
			return err
		}
		o.Infof("wrote %s", f.path)
		switch {
		case o.by != nil:
			o.Infof("wrote %s, by %s", f.path+signatureSuffix, ssh.FingerprintSHA256(o.by.PublicKey()))
		case !command.Missing(f.path + signatureSuffix):
			o.Warn(f.path + signatureSuffix + " is the signature of the file that was there before")
		}
	}
	return nil
}

// save writes a file, with its signature if wanted.
func (o *Options) save(over *command.OverwriteFlag, flag, path string, text []byte) error {
	if err := over.Public(flag, path, text); err != nil || o.by == nil {
		return err
	}
	signature, err := report.Sign(text, o.by)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Sign, err)
	}
	return over.Public(signFlag, path+signatureSuffix, signature)
}
