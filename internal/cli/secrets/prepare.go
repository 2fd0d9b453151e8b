package secrets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

type emission struct {
	asked     *spec.Spec // nil = no specification
	file      *credfile.File
	emit      openshift.EmitOptions
	manifests []openshift.Manifest
	cluster   *command.ClusterDump // what it is compared with; nil = nothing
	switches  []cluster.Switch     // that were asked for
	left      error                // the named components that no secret has; nil = none
}

func (e *emission) after() *cluster.Cluster { return e.cluster.After(e.manifests) }

func (o *EmitOptions) prepare(ctx context.Context, there *command.ClusterDump) (*emission, error) {
	asked, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	if !o.Told {
		err = o.Sure(ctx, "writing secrets for it", asked, there)
	} else if another := there.AnotherThan(asked); another != "" {
		o.Warnf("%s", another)
	}
	if err != nil {
		return nil, err
	}
	file, path, err := o.OpenCredentials(o.File, asked)
	if err != nil {
		return nil, err
	}
	a := advice.Of(o.Factory, &o.Source, asked)
	if o.Renew {
		o.Source.Accounts.Beside(asked, file)
	} else if err := a.OverGiven(file, command.NamedComponents(o.Components, file)); err != nil {
		return nil, err
	}
	if len(file.Servers()) == 0 {
		what := "has no account"
		if command.Missing(path) {
			what = "does not exist"
		}
		return nil, hint.Wrap(fmt.Errorf("credentials file %s %s", path, what), a.IfNone(path)...)
	}
	o.Misread(file)
	if format, one := o.ofInstaller(); one {
		return o.chosen(format, file, asked, there)
	}
	if o.Renew {
		return o.renewed(file, asked, there)
	}
	from, emit, err := o.wanted(file, asked)
	if err != nil {
		return nil, err
	}
	accounts := openshift.FromFile(file, from)
	shares := emit.Shares(from, accounts)
	if err := file.CheckFilled(openshift.Picked(shares)); err != nil {
		return nil, err
	}
	e := &emission{asked: asked, file: file, cluster: there}
	if err := o.checkShared(file, emit, accounts, there != nil); err != nil {
		return nil, err
	}
	emit.Requests = emit.WithOptIn(accounts).Requests // comparisons call consumers as manifests do
	if err := o.checkSwitch(emit.Requests); err != nil {
		return nil, err
	}
	if emit.Instances, err = o.instances(ctx, asked, from); err != nil {
		return nil, err
	}
	if profile, _ := openshift.FindProfile(emit.Profile); profile.Homes != nil {
		tls, err := o.Instances.TLS.Resolve(o.Streams, from)
		if err != nil {
			return nil, err
		}
		emit.Driver.CACerts, emit.Driver.Thumbprints, emit.Driver.Insecure = tls.CACerts, tls.Thumbprints, tls.Insecure
	}
	manifests, warnings, err := openshift.Manifests(from, accounts, emit)
	if errors.Is(err, openshift.ErrNoAccount) {
		err = cmp.Or(a.CheckLacking(emit.Profile, file, from, openshift.Lacking(shares)), err)
	}
	if err != nil {
		return nil, err
	}
	o.Warn(o.shortly(warnings, emit.Standing(), manifests, there)...)
	o.warnNarrowed(file, asked, from, there != nil)
	e.emit, e.manifests = emit, manifests
	return e, nil
}

// checkShared refuses the main account for all components while the credentials file has their own:
// the profile may have been changed under a cluster that uses them, and the main account may lack
// privileges. With the cluster's secrets [EmitOptions.guard] decides instead.
func (o *EmitOptions) checkShared(file *credfile.File, emit openshift.EmitOptions, accounts openshift.Accounts, compared bool) error {
	profile, _ := openshift.FindProfile(emit.Profile)
	others := profile.Unused(accounts)
	if len(others) == 0 || o.Source.File == "" || o.Profile != "" || compared {
		return nil
	}
	return hint.Wrap(fmt.Errorf("%s also has accounts of %s, which profile %s does not use: was it another profile before?", file.Path(), strings.Join(component.Words(others), ", "), profile.Name),
		"nothing was written: a cluster that works with them would be moved to an account that may lack what they have",
		"first let '"+o.CommandLine("apply", o.Said)+"' give it the privileges of all components, and '"+o.CommandLine("verify", o.Said)+"' prove it",
		"then move them, with --switch for each consumer that this names: "+o.FirstSecrets(profile.Name, o.Said, o.Against.Cluster.Words(), o.words()))
}

// wanted gives the servers and what to write for them.
func (o *EmitOptions) wanted(file *credfile.File, asked *spec.Spec) (from []string, emit openshift.EmitOptions, err error) {
	emit = openshift.EmitOptions{
		Profile: o.Profile, Some: o.Installs,
		Components: component.Of(o.Components), MainFor: component.Of(o.MainFor),
	}
	if asked == nil {
		if from, err = command.NarrowServers(file.Servers(), o.Source.VCenters); err != nil {
			return nil, emit, err
		}
	} else {
		if err := openshift.CheckOpenShift(asked.Profile, "installer"); err != nil && o.Installs {
			return nil, emit, err
		}
		from = o.ofSpec(asked, &emit)
	}
	if emit.Profile == "" {
		emit.Profile = spec.DefaultProfile
	}
	profile, _ := openshift.FindProfile(emit.Profile)
	emit.Requests, err = o.Requests.Resolve()
	switch {
	case err != nil:
		return nil, emit, err
	case profile.Requests && emit.Requests == nil:
		return nil, emit, hint.Errorf("'oc adm release extract --credentials-requests --cloud=vsphere --to=DIR RELEASE-IMAGE' writes them",
			"profile manual needs --credentials-requests DIR: the requests of the release")
	case !profile.Requests && emit.Requests != nil:
		return nil, emit, command.BadFlag("credentials-requests", "is for profile manual, not %s", emit.Profile)
	}
	return from, emit, nil
}

// ofSpec gives the servers of a specification, and sets what no flag sets.
func (o *EmitOptions) ofSpec(s *spec.Spec, emit *openshift.EmitOptions) []string {
	if emit.Profile == "" {
		emit.Profile = s.Profile
	}
	emit.CCOLabel, emit.Extra = s.Secrets.CCOLabel, s.Secrets.Extra
	emit.RootSecret = s.Secrets.RootSecret && !o.Installs
	emit.Driver = s.Driver(tags.Categories())
	emit.BootImages = s.Conditions(nil)[privileges.BootImageUpdates]
	before, accounts := s.Profile, s.ComponentNames()
	s.Profile = emit.Profile
	given := o.Source.File != "" || before != spec.DefaultProfile // an install-config may have none
	if given && !slices.Equal(accounts, s.ComponentNames()) {
		o.Warnf("profile %s, but the specification has %s, whose accounts have other privileges: '%s' shows what they lack",
			emit.Profile, before, o.CommandLine("plan", o.Said.With("profile", emit.Profile)))
	}
	if profile, _ := openshift.FindProfile(emit.Profile); profile.Manual && o.Source.File != "" && before != emit.Profile {
		o.Warnf("the provisioning file says profile %s: write 'profile: %s' into it, or other commands look elsewhere for the secrets", before, emit.Profile)
	}
	if emit.Components == nil && len(s.Components) > 0 {
		emit.Components = s.ComponentNames()
	}
	return command.Servers(s)
}

const noVerifyFlag = "no-verify"

// verify logs in with the accounts to be written, but disabled ones: with --verify all, else those
// that replace others. It fails without an answer: another machine may have set a new password.
func (o *EmitOptions) verify(ctx context.Context, e *emission) error {
	if !o.Verify && e.cluster == nil {
		return nil
	}
	reach, err := command.Reached(e.asked, e.file.Servers(), o.Source.ConnectTo)
	if err != nil {
		return err
	}
	accounts := e.used(command.Servers(reach))
	if o.Verify && accounts.Count() == 0 {
		return errors.New("--verify: no account of these secrets is in the credentials file; nothing was written")
	}
	for server, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, a credfile.Account) bool {
			return reach.Disabled(c) || !o.Verify && !e.replaces(server, a)
		})
	}
	if accounts.Count() == 0 {
		return nil
	}
	if o.NoVerify {
		o.Warnf("--%s: nobody logged in with the accounts that replace others in the cluster", noVerifyFlag)
		return nil
	}
	attempts, err := o.TryAccounts(ctx, reach, o.Source.ConnectTo, &o.Instances.TLS, accounts)
	if err != nil {
		return err
	}
	if err := command.Failures(attempts, "nothing was written"); err != nil {
		list := ""
		if e.asked != nil {
			list = o.CommandLine("users list", o.Said)
		}
		imports := openshift.From(e.emit.Profile) + o.CommandLine("credentials import", o.Said, "--secrets", "-", "--replace")
		return hint.Wrap(err, append(o.answering(e.emit.Profile, attempts), refusedRemedies(attempts, list, imports)...)...)
	}
	return nil
}

// answering is the command that renews secrets for the vCenters with no failed login; nil = none.
func (o *EmitOptions) answering(profile string, attempts []command.TriedAccount) []string {
	var servers, failed []string
	for _, r := range attempts {
		if servers = lists.AppendNew(servers, r.Server); r.Err != nil {
			failed = append(failed, r.Server)
		}
	}
	if servers = lists.Without(servers, failed); !o.Renew || len(servers) == 0 {
		return nil
	}
	var own []string
	if len(o.Switch) > 0 {
		own = []string{"--switch", strings.Join(o.Switch, ",")}
	}
	return []string{"to renew those of " + strings.Join(servers, ", ") + " alone: " + o.Renews(profile, o.Said.At(servers), own...)}
}

// replaces reports whether an account of a vCenter replaces another in the cluster's secrets.
func (e *emission) replaces(server string, a credfile.Account) bool {
	return e.cluster.Replaces(e.manifests, server, a) || slices.ContainsFunc(e.switches, func(s cluster.Switch) bool {
		return strings.EqualFold(s.Server, server) && s.From.User != "" && strings.EqualFold(s.To.User, a.User)
	})
}

// used are the accounts of the credentials file on vCenters whose users the manifests hold.
func (e *emission) used(servers []string) openshift.Accounts {
	accounts := openshift.FromFile(e.file, servers)
	for _, of := range accounts {
		maps.DeleteFunc(of, func(_ component.Name, a credfile.Account) bool {
			return len(holding(e.manifests, func(user string) bool { return user == a.User })) == 0
		})
	}
	return accounts
}

// refusedRemedies are the remedies of failed logins. list is a command that lists accounts or "".
func refusedRemedies(attempts []command.TriedAccount, list, imports string) (hints []string) {
	refused := func(r command.TriedAccount) bool { return errors.Is(r.Err, vcenter.ErrLogin) }
	if slices.ContainsFunc(attempts, refused) {
		if list != "" {
			hints = append(hints, "to see whether it is locked or disabled: "+list)
		}
		hints = append(hints,
			"linked vCenters take up to a minute to know a new account: then run the same command again",
			"the password may have been set on another machine since: use its credentials file, or import what the cluster has: "+imports,
			"a right password is refused while the account is locked by components that still try the old one: --"+noVerifyFlag+" writes it all the same")
	}
	if slices.ContainsFunc(attempts, func(r command.TriedAccount) bool { return r.Err != nil && !refused(r) }) {
		hints = append(hints,
			"if no vCenter can be reached from here: --"+noVerifyFlag+" writes what nobody has tried")
	}
	return hints
}

// write writes YAML, encrypted if there are recipients.
func write(w io.Writer, manifests []openshift.Manifest, emit openshift.EmitOptions, to []sealed.Recipient) error {
	if len(to) == 0 {
		return openshift.WriteYAML(w, manifests, emit)
	}
	var plain bytes.Buffer
	if err := openshift.WriteYAML(&plain, manifests, emit); err != nil {
		return err
	}
	encrypted, err := sealed.Seal(plain.Bytes(), to)
	if err != nil {
		return err
	}
	_, err = w.Write(encrypted)
	return err
}

// writeFiles writes all files atomically and stops at the first error. It returns their paths.
func (o *EmitOptions) writeFiles(manifests []openshift.Manifest, emit openshift.EmitOptions, to []sealed.Recipient) ([]string, error) {
	files := map[string][]byte{}
	for _, m := range manifests {
		var text bytes.Buffer
		if err := write(&text, []openshift.Manifest{m}, emit, to); err != nil {
			return nil, err
		}
		files[o.path(m)] = text.Bytes()
	}
	if o.Alone != nil {
		if err := o.Alone(command.SortedKeys(files)); err != nil {
			return nil, err
		}
	}
	return o.Over.PrivateAll(o.Factory, "output-dir", files)
}

func (o *EmitOptions) path(m openshift.Manifest) string {
	path := filepath.Join(o.OutputDir, filepath.FromSlash(m.File))
	if o.Recipients.Given() {
		path += ".age"
	}
	return path
}
