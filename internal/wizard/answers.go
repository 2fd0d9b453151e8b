package wizard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// answers are everything that was answered, but passwords. As JSON they are the draft.
type answers struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Saved      time.Time         `json:"saved"`
	Spec       spec.Spec         `json:"spec"`
	Config     string            `json:"installConfig,omitempty"` // the install-config or cluster
	Known      []string          `json:"known,omitempty"`         // its answers; see known
	Trust      map[string]string `json:"trust,omitempty"`         // server → accepted thumbprint
	CACert     string            `json:"caCert,omitempty"`        // file of authorities for certificates
	Users      map[string]string `json:"users,omitempty"`         // server → administrator
	Made       []string          `json:"made,omitempty"`          // "server path" of folders that apply makes
	Wide       []string          `json:"wide,omitempty"`          // wide choices, in place of a pool or folder
	Left       []spec.VCenter    `json:"leftOut,omitempty"`       // vCenters that could not be reached
}

const kindDraft = "ProvisioningDraft"

func blank() answers {
	return answers{
		APIVersion: spec.APIVersion, Kind: kindDraft, Trust: map[string]string{}, Users: map[string]string{},
		Spec: spec.Spec{
			APIVersion: spec.APIVersion, Kind: spec.Kind, Profile: spec.DefaultProfile,
			Privileges: spec.Privileges{Matrix: spec.DefaultMatrix, RoleLayout: spec.DefaultRoleLayout, RolePrefix: spec.DefaultRolePrefix},
			Accounts:   spec.Accounts{Username: spec.DefaultUsername},
		},
	}
}

// The keys of answers.Known.
const knownCluster = "cluster"

func knownServer(server string) string        { return "vCenter " + server }
func knownDomain(name string) string          { return "failure domain " + name }
func madeKey(v spec.VCenter, p string) string { return v.Server + " " + p }
func (a *answers) known(key string) bool      { return slices.Contains(a.Known, key) }
func (a *answers) vc(i int) *spec.VCenter     { return &a.Spec.VCenters[i] }
func (a *answers) fd(s step) *spec.FailureDomain {
	return &a.Spec.VCenters[s.vc].FailureDomains[s.fd]
}

// make records that a folder is to be made, or no longer.
func (a *answers) make(v spec.VCenter, p string, yes bool) {
	key := madeKey(v, p)
	a.Made = lists.Without(a.Made, []string{key})
	if yes {
		a.Made = append(a.Made, key)
	}
}

// widen records that the permissions are set on p, not on a pool or folder of a failure domain.
func (a *answers) widen(s step, p string, yes bool) {
	key := a.wideKey(s, p)
	a.Wide = lists.Without(a.Wide, []string{key})
	if yes {
		a.Wide = append(a.Wide, key)
	}
}

func (a *answers) wide(s step, p string) bool { return slices.Contains(a.Wide, a.wideKey(s, p)) }

func (a *answers) wideKey(s step, p string) string {
	return a.vc(s.vc).Server + " " + a.fd(s).Name + " " + p
}

// makes reports whether a folder that some failure domain names is to be made.
func (a *answers) makes() bool {
	for _, v := range a.Spec.VCenters {
		for _, fd := range v.FailureDomains {
			if fd.Folder != "" && slices.Contains(a.Made, madeKey(v, fd.Folder)) {
				return true
			}
		}
	}
	return false
}

// again is a vCenter with what was answered about it before it was left out.
func (a *answers) again(v spec.VCenter) spec.VCenter {
	i := slices.IndexFunc(a.Left, func(old spec.VCenter) bool { return old.Server == v.Server })
	if i >= 0 {
		v.FailureDomains = a.Left[i].FailureDomains
		a.Left = slices.Delete(a.Left, i, i+1)
	}
	return v
}

// take copies the answers that an install-config or a running cluster has, by name, and keeps the
// others.
func (a *answers) take(name string, of *spec.Spec) {
	s := *of
	s.VCenters = slices.Clone(of.VCenters)
	a.Config, a.Known = name, nil
	if s.Cluster != "" {
		a.Spec.Cluster = s.Cluster
		a.Known = append(a.Known, knownCluster)
	}
	for i, v := range s.VCenters {
		a.Known = append(a.Known, knownServer(v.Server))
		for _, old := range a.Spec.VCenters {
			if strings.EqualFold(old.Server, v.Server) {
				s.VCenters[i].Address = old.Address
			}
		}
		for _, fd := range v.FailureDomains {
			a.Known = append(a.Known, knownDomain(fd.Name))
		}
	}
	a.Spec.VCenters = s.VCenters
}

// draft is where the answers are kept.
func (w *wizard) draft() string { return w.o.Out + ".draft" }

// save keeps the answers after each question, so that not even a kill loses one.
func (w *wizard) save() {
	if w.done.File != "" {
		return
	}
	w.a.Saved = time.Now().UTC().Truncate(time.Second)
	data, err := term.JSON(w.a)
	if err == nil {
		err = w.o.Write(w.draft(), data)
	}
	if err != nil && !w.mute {
		w.mute = true
		w.o.Ask.Say("! the answers cannot be kept for another run: " + err.Error())
	}
	w.saved = w.saved || err == nil
}

// load reads an earlier run's answers; none without an error if there are none.
func (w *wizard) load() (*answers, error) {
	data, err := files.Read(w.draft(), files.Text, files.Regular, files.CheckPrivate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing to offer is fine
	}
	if err != nil {
		return nil, err
	}
	a := blank()
	if err := json.Unmarshal(data, &a); err != nil || a.Kind != kindDraft || a.APIVersion != spec.APIVersion {
		return nil, fmt.Errorf("%s holds no answers of this version of the tool", w.draft())
	}
	if a.Trust == nil {
		a.Trust = map[string]string{}
	}
	if a.Users == nil {
		a.Users = map[string]string{}
	}
	return &a, nil
}

// discard removes the draft when its file is written or not wanted.
func (w *wizard) discard() {
	_ = os.Remove(w.draft())
	w.saved = false
}

var lineNumber = pattern.Of(`^answers(:\d+)?: `)

// problem checks the answers about accounts and names as in a provisioning file, with a placeholder
// for the vCenters.
func problem(s spec.Spec) error {
	s.Cluster = cmp.Or(s.Cluster, "cluster")
	s.VCenters = []spec.VCenter{{Server: "vcenter", Port: spec.DefaultPort}}
	return plainly(s)
}

// plainly is Parse of a specification not yet written: its errors name no lines.
func plainly(s spec.Spec) error {
	_, err := spec.Parse("answers", s.YAML())
	if err == nil {
		return nil
	}
	var errs []error
	for line := range strings.SplitSeq(err.Error(), "\n") {
		errs = append(errs, errors.New(lineNumber().ReplaceAllString(line, "")))
	}
	return errors.Join(errs...)
}
