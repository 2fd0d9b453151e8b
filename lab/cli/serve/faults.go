package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// faultKinds are what --fault can do to a call.
func faultKinds() map[string]vcsim.FaultKind {
	return map[string]vcsim.FaultKind{
		"unavailable":        vcsim.Unavailable,
		"dropped":            vcsim.Dropped,
		"lost-reply":         vcsim.LostReply,
		"slow":               vcsim.Slow,
		"expired-session":    vcsim.ExpiredSession,
		"refused":            vcsim.Refused,
		"blocked":            vcsim.Blocked,
		"served-bad-gateway": vcsim.ServedBadGateway,
		"served-unavailable": vcsim.ServedUnavailable,
		"empty":              vcsim.Empty,
	}
}

// slowly is how long a call is kept waiting by the fault slow.
const slowly = 5 * time.Second

// Fault is one --fault: what goes wrong with calls of a method.
type Fault struct {
	Server string // "" = on every vCenter
	Method string // "*" = every one
	Kind   vcsim.FaultKind
	Call   int // which call of the method, from 1; 0 = each
}

func (o *Options) registerFaults(cmd *cobra.Command) {
	p := cmd.Flags()
	p.Var(&o.Faults, "fault", "inject a fault into calls of a method: [SERVER/]METHOD=KIND[@N], only into call N with @N, METHOD * is any method: "+
		strings.Join(command.SortedKeys(faultKinds()), ", "))
	p.Var(&o.Lockout, "lockout", "lockout policy as FAILURES[,WITHIN[,UNLOCK]], such as 3,1m,10s; off never locks (default: 5,180s,300s)")
	p.StringVar(&o.Record, "record", "", "write every call to this file, one JSON object per line: user, method, object, required privilege and verdict")
	_ = cmd.MarkFlagFilename("record", "jsonl", "json")
}

// faultFlag is the values of --fault.
type faultFlag []Fault

func (f *faultFlag) Set(text string) error {
	one, err := parseFault(text)
	if err == nil {
		*f = append(*f, one)
	}
	return err
}

func (f *faultFlag) Type() string   { return "fault" }
func (f *faultFlag) String() string { return "" }

// lockoutFlag is the value of --lockout; nil is the vCenters' own policy.
type lockoutFlag struct{ Policy *directory.LockoutPolicy }

func (l *lockoutFlag) Set(text string) error {
	policy, err := parseLockout(text)
	if err == nil {
		l.Policy = &policy
	}
	return err
}

func (l *lockoutFlag) Type() string   { return "policy" }
func (l *lockoutFlag) String() string { return "" }

func parseFault(text string) (Fault, error) {
	f := Fault{}
	target, kind, ok := strings.Cut(text, "=")
	if i := strings.LastIndex(target, "/"); i >= 0 {
		f.Server, target = target[:i], target[i+1:]
	}
	f.Method = target
	kind, call, once := strings.Cut(kind, "@")
	if !ok || f.Method == "" {
		return f, errors.New("must be [SERVER/]METHOD=KIND[@N], such as SetEntityPermissions=lost-reply@1, not " + strconv.Quote(text))
	}
	if err := command.OneOf(kind, command.SortedKeys(faultKinds())); err != nil {
		return f, err
	}
	f.Kind = faultKinds()[kind]
	if once {
		n, err := strconv.Atoi(call)
		if err != nil || n < 1 {
			return f, errors.New("after @ comes the number of the call, from 1, not " + strconv.Quote(call))
		}
		f.Call = n
	}
	return f, nil
}

// parseLockout reads how many failures within which time lock an account, and for how long.
func parseLockout(text string) (directory.LockoutPolicy, error) {
	if text == "off" {
		return directory.LockoutPolicy{Description: "Never"}, nil
	}
	words := strings.Split(text, ",")
	failures, err := strconv.Atoi(words[0])
	if err != nil || failures < 1 || len(words) > 3 {
		return directory.LockoutPolicy{}, errors.New("must be FAILURES[,WITHIN[,UNLOCK]], such as 3,1m,10s, or off")
	}
	p := directory.LockoutPolicy{Description: "Given on the command line", MaxFailed: failures, Within: 180 * time.Second, UnlockAfter: 300 * time.Second}
	for i, to := range []*time.Duration{&p.Within, &p.UnlockAfter} {
		if i+1 < len(words) {
			if *to, err = time.ParseDuration(words[i+1]); err != nil || *to < 0 {
				return directory.LockoutPolicy{}, errors.New("must be a duration such as 180s: " + words[i+1])
			}
		}
	}
	return p, nil
}

// afflict gives the vCenters of a lab their faults and their lockout policy.
func (o *Options) afflict(lab *vcsim.Lab) error {
	for _, f := range o.Faults {
		if f.Server != "" && !slices.ContainsFunc(lab.VCenters, func(v *vcsim.VCenter) bool { return v.Server() == f.Server }) {
			return command.BadFlag("fault", "no vCenter %s in this simulation", f.Server)
		}
	}
	for _, v := range lab.VCenters {
		if o.Lockout.Policy != nil {
			v.Directory().SetLockoutPolicy(*o.Lockout.Policy)
		}
		if mine := slices.DeleteFunc(slices.Clone(o.Faults), func(f Fault) bool {
			return f.Server != "" &&
				f.Server != v.Server()
		}); len(mine) > 0 {
			v.SetFault(faultsOf(mine))
		}
	}
	return nil
}

// faultsOf finds the first fault that is meant for a call. It is asked for one call at a time.
func faultsOf(all []Fault) func(int, string) vcsim.Fault {
	calls := map[string]int{}
	return func(n int, method string) vcsim.Fault {
		calls[method]++
		calls["*"] = n
		for _, f := range all {
			if (f.Method == "*" || f.Method == method) && (f.Call == 0 || f.Call == calls[f.Method]) {
				fault := vcsim.Fault{Kind: f.Kind}
				if f.Kind == vcsim.Slow {
					fault.Delay = slowly
				}
				return fault
			}
		}
		return vcsim.Fault{}
	}
}

// recording writes the calls of a lab to a file, each as it is decided.
type recording struct {
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	err  error
}

// record begins a recording; nil where nobody asked for one.
func (o *Options) record() (*recording, error) {
	if o.Record == "" {
		return nil, nil
	}
	file, err := os.OpenFile(o.Record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, kit.NotOfLab("record", "file", o.Record)
	}
	if err != nil {
		return nil, command.BadFlag("record", "%w", err)
	}
	r := &recording{file: file, out: bufio.NewWriter(file)}
	o.Lab.Record = r.line
	return r, nil
}

// line writes one record. Whoever reads along sees whole lines.
func (r *recording) line(c vcsim.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		if r.err = json.NewEncoder(r.out).Encode(c); r.err == nil {
			r.err = r.out.Flush()
		}
	}
}

// close ends it; the file stays.
func (r *recording) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, r.file.Close())
}
