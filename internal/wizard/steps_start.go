package wizard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// table names every step.
func (w *wizard) table() map[string]func(context.Context, step) (step, error) {
	return map[string]func(context.Context, step) (step, error){
		"resume": w.resume, "config": w.config, "cluster": w.cluster,
		"server": w.server, "reach": w.reach, "login": w.login, "check": w.check,
		"domain name": w.domainName, "domain datacenter": w.domainDatacenter, "domain cluster": w.domainCluster,
		"domain pool": w.domainPool, "domain folder": w.domainFolder, "domain new folder": w.domainNewFolder,
		"domain datastore": w.domainDatastore, "domain networks": w.domainNetworks, "domain template": w.domainTemplate,
		"domain which template": w.domainWhichTemplate,
		"domain host group":     w.domainHostGroup, "domain region": w.domainRegion, "domain zone": w.domainZone, "domain more": w.domainMore, "more": w.more,
		"profile": w.profile, "components": w.components, "existing": w.existing, "principal": w.principal,
		"username": w.username, "matrix": w.matrix, "matrix file": w.matrixFile, "conditions": w.conditions, "layout": w.layout,
		"plan": w.plan, "finish": w.finish, "apply": w.apply, "verify": w.verify,
	}
}

// resume offers the answers of an earlier run.
func (w *wizard) resume(ctx context.Context, _ step) (step, error) {
	next := step{name: "config"}
	old, err := w.load()
	if err != nil {
		w.explain(err)
		return next, nil
	}
	if old == nil {
		return next, nil
	}
	w.saved = true
	what := "answers from " + old.Saved.Local().Format("2006-01-02 15:04")
	i, err := w.choose(ctx, Choice{
		Message: what + " were found",
		Help:    "They are in " + w.draft() + ", without passwords. If you continue, each question is asked again with your answer as the default.",
		Entries: simple("continue", "start over"),
	})
	switch {
	case err != nil:
		return next, err
	case i == 0:
		w.a = *old
		if w.a.CACert == "" {
			break
		}
		if err := w.useCA(w.a.CACert); err != nil {
			w.explain(err)
			w.a.CACert = ""
		}
	default:
		w.a = blank()
		w.discard()
	}
	return next, nil
}

// runningCluster is what the specification of a running cluster is called.
const runningCluster = "Infrastructure"

// config takes the answers of a running cluster or of an install-config: the named one, or the one
// found here if the person wants it.
func (w *wizard) config(ctx context.Context, _ step) (step, error) {
	next := step{name: "cluster"}
	path := w.o.InstallConfig
	if w.o.Cluster != nil {
		w.a.take(runningCluster, w.o.Cluster)
		w.sayKnown(runningCluster)
		return next, nil
	}
	if path == "" {
		if info, _ := os.Stat(DefaultInstallConfig); info == nil {
			w.a.Known = nil
			return next, nil
		}
		chosen := 0
		if w.saved && w.a.Config == "" && len(w.a.Spec.VCenters) > 0 {
			chosen = 1
		}
		i, err := w.choose(ctx, Choice{
			Message: "use " + DefaultInstallConfig + " from this directory?",
			Help:    "Its cluster name, vCenters and failure domains are used, and you are asked only for the rest. Its passwords are not read.",
			Entries: simple("yes", "no"), Default: chosen,
		})
		if err != nil {
			return next, err
		}
		if i == 1 {
			w.a.Config, w.a.Known = "", nil
			return next, nil
		}
		path = DefaultInstallConfig
	}
	s, _, err := installconfig.Load(path)
	if err != nil {
		data, _ := files.Read(path, files.Text)
		if some, _, none := installconfig.Specify(path, data, spec.ParseServers); none == nil {
			w.explain(err) // what it lacks is asked for
			s, err = some, nil
		}
	}
	if err != nil {
		if w.o.InstallConfig != "" {
			return next, err
		}
		w.explain(err)
		w.a.Config, w.a.Known = "", nil
		return next, nil
	}
	w.a.take(path, s)
	w.sayKnown(filepath.Base(path))
	return next, nil
}

// sayKnown says how much of the cluster need not be asked for.
func (w *wizard) sayKnown(from string) {
	domains := 0
	for _, v := range w.a.Spec.VCenters {
		domains += len(v.FailureDomains)
	}
	w.o.Ask.Say(fmt.Sprintf("%s: cluster %s, %s, %s", from, w.a.Spec.Cluster,
		term.Count(len(w.a.Spec.VCenters), "vCenter"), term.Count(domains, "failure domain")))
}

func (w *wizard) cluster(ctx context.Context, _ step) (step, error) {
	next := step{name: "server"}
	if w.a.known(knownCluster) {
		return next, nil
	}
	name, err := w.line(ctx, Line{
		Message: "cluster name", Default: w.a.Spec.Cluster,
		Help: "The name of the OpenShift cluster, metadata.name in its install-config. The accounts are named after it.",
		Check: func(text string) error {
			if text == "" {
				return errors.New("a name is required: the accounts are named after the cluster")
			}
			s := w.a.Spec
			s.Cluster, s.Accounts.Username, s.Components = text, spec.DefaultUsername, nil
			return s.CheckAccounts()
		},
	})
	if err == nil {
		w.a.Spec.Cluster = name
	}
	return next, err
}

// server asks for the name of a vCenter.
func (w *wizard) server(ctx context.Context, s step) (step, error) {
	next := step{name: "reach", vc: s.vc}
	fallback := ""
	switch {
	case s.vc < len(w.a.Spec.VCenters):
		v := w.a.vc(s.vc)
		if w.a.known(knownServer(v.Server)) {
			w.address(s.vc)
			return next, nil
		}
		fallback = hostPort(*v)
	case s.vc < len(w.o.Servers):
		fallback = w.o.Servers[s.vc]
	case len(w.a.Left) > 0:
		fallback = hostPort(w.a.Left[0])
	}
	check := func(text string) error {
		named, err := spec.FromServers([]string{text})
		if err != nil {
			return err
		}
		for i, v := range w.a.Spec.VCenters {
			if i != s.vc && strings.EqualFold(v.Server, named.VCenters[0].Server) {
				return fmt.Errorf("%s is already in the list", v.Server)
			}
		}
		return nil
	}
	text, err := w.line(ctx, Line{
		Message: map[bool]string{true: "vCenter", false: "next vCenter"}[s.vc == 0], Default: fallback, Check: check,
		Help: "The host name in its certificate, with :port if that is not 443. The wizard connects to it now and changes nothing there.",
	})
	if err != nil {
		return next, err
	}
	named, err := spec.FromServers([]string{text})
	if err != nil {
		return next, err
	}
	v := named.VCenters[0]
	if s.vc == len(w.a.Spec.VCenters) {
		w.a.Spec.VCenters = append(w.a.Spec.VCenters, w.a.again(v))
	} else if old := w.a.vc(s.vc); old.Server != v.Server || old.Port != v.Port {
		v.FailureDomains = old.FailureDomains // as defaults
		*old = v
	}
	w.address(s.vc)
	return next, nil
}

// address takes over --connect-to.
func (w *wizard) address(vc int) {
	v := w.a.vc(vc)
	if a := w.o.Addresses[v.Server]; a != "" {
		v.Address = a
	}
}

func hostPort(v spec.VCenter) string {
	if v.Port == spec.DefaultPort || v.Port == 0 {
		return v.Server
	}
	return fmt.Sprintf("%s:%d", v.Server, v.Port)
}
