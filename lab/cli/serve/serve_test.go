package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	toolcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/serve"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// program is what the tests run, and tool what works on its vCenters.
var (
	program = clitest.Program{Name: "vcenter-lab", Main: cli.Run, NewRoot: cli.NewCmdRoot}
	tool    = clitest.Program{Main: toolcli.Run, NewRoot: toolcli.NewCmdRoot}
)

func TestSimulateWords(t *testing.T) {
	t.Parallel()
	plain := vcsim.Options{VCenters: 1, Domain: "vsphere.local", Listen: "127.0.0.1:0"}
	full := vcsim.Options{
		VCenters: 3, Domain: "corp.local", Linked: true, Latency: 50 * time.Millisecond, UserDelay: time.Second,
		Releases: []string{"8.0.3", "7.0.3", "9.0"}, Without: []string{"Cns.Searchable"}, Estate: vcsim.EstateOptions{Seed: 7, Objects: 100, Foreign: true}, Listen: "127.0.0.1:8989",
	}
	for words, want := range map[string]*serve.Options{
		"": {Lab: plain},
		"--vcenters 3 --domain corp.local --linked --latency 50ms --user-delay 1s --release 8.0.3,7.0.3,9.0 --without Cns.Searchable --seed-estate 7 --objects 100 " +
			"--foreign --listen 127.0.0.1:8989 --dir lab --ready-file lab.json": {Lab: full, Dir: "lab", ReadyFile: "lab.json"},
		"--fault vc1/Login=dropped@2 --lockout off --record calls.jsonl": {
			Lab: plain, Record: "calls.jsonl", Faults: serve.FaultFlag{{Server: "vc1", Method: "Login", Kind: vcsim.Dropped, Call: 2}},
			Lockout: serve.LockoutFlag{&directory.LockoutPolicy{Description: "Never"}},
		},
		"--estate e.yaml --ready-file r.json": {Lab: plain, Estate: "e.yaml", ReadyFile: "r.json"},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *serve.Options
		cmd := serve.NewCmd(f, func(o *serve.Options) error { got = o; return nil })
		if err := program.Parse(t, f, cmd, append([]string{"serve"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(serve.Options{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
	for words, want := range map[string]string{
		"--vcenters 0":                        "--vcenters: 0",
		"--fault Login=lost":                  "Login=lost",
		"--lockout never":                     "must be FAILURES[,WITHIN[,UNLOCK]]",
		"--listen 8989":                       "--listen",
		"--vcenters 2 --names a":              "names",
		"--release 6.7":                       `--release: "6.7": must be one of 7.0.3, 8.0.1, 8.0.3, 9.0`,
		"--release 8.0.3,7.0.3":               "--release: 2 releases for 1 vCenters",
		"--names a,b,c --release 8.0.3,7.0.3": "--release: 2 releases for 3 vCenters",
	} {
		code, _, stderr := program.Run(t, termtest.NewFake(), append([]string{"serve"}, strings.Fields(words)...)...)
		if code != command.ExitFailed {
			t.Errorf("%s: exit code %d", words, code)
		}
		clitest.WantText(t, words, stderr, want)
	}
}

// A setting of --vcenters for the other commands is a list of names, not a number of simulated vCenters.
func TestSimulateIgnoresTheSettingOfTheSameName(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_VCENTERS"] = "vcenter1.example.com"
	f := command.NewFactory(fake.Streams, command.Build{})
	cmd := serve.NewCmd(f, func(*serve.Options) error { return nil })
	if err := program.Parse(t, f, cmd, "serve"); err != nil {
		t.Error(err)
	}
}

// reads passes on what is written and tells when the first write came.
type reads struct {
	bytes.Buffer
	first chan struct{}
}

func (r *reads) Write(p []byte) (int, error) {
	n, err := r.Buffer.Write(p)
	select {
	case <-r.first:
	default:
		close(r.first)
	}
	return n, err
}

func TestSimulateServesUntilInterrupted(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	out := &reads{first: make(chan struct{})}
	fake.Out = out
	dir := filepath.Join(t.TempDir(), "lab")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan int)
	go func() {
		done <- program.Main(ctx, fake.Streams, []string{"serve", "--vcenters", "2", "--release", "8.0.3,7.0.3", "--dir", dir, "-o", "json"})
	}()
	select {
	case <-out.first:
	case code := <-done:
		t.Fatalf("ended with %d: %s", code, fake.Stderr.String())
	}
	var v serve.SimulationView
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if v.Kind != "Simulation" || len(v.VCenters) != 2 || v.VCenters[0].Release != "8.0.3" || v.VCenters[1].Release != "7.0.3" {
		t.Errorf("%+v", v)
	}
	admin, err := credfile.Open(v.AdminCredentials)
	if err != nil {
		t.Fatal(err)
	}
	password := ""
	for _, vc := range v.VCenters {
		a, ok := admin.Get(vc.Server, component.Installer)
		if !ok || a.User != vc.AdminUser || a.Password.Empty() {
			t.Errorf("%s: %v, %+v", vc.Server, ok, a)
		}
		password = a.Password.Reveal()
	}
	if strings.Contains(out.String()+fake.Stderr.String(), password) {
		t.Error("the administrator's password is in the output")
	}

	// The flags that it prints are flags of the others, and they resolve.
	var c command.Connection
	clitest.ParseFlags(t, c.Register, v.Flags...)
	s, _, tls, err := c.Resolve(t.Context(), command.NewFactory(termtest.NewFake().Streams, command.Build{}))
	if err != nil || len(s.VCenters) != 2 || len(s.VCenters[1].FailureDomains) != 1 || s.VCenters[1].Address != v.VCenters[1].Address || len(tls.CACerts) == 0 {
		t.Errorf("%v: %+v", err, s)
	}

	// The settings file leads there from names alone and from the install-config.
	for _, words := range [][]string{{"--vcenters", v.VCenters[1].Server}, {"--install-config", v.InstallConfig}} {
		f, source, err := tool.Settled(t, termtest.NewFake(), append(words, "--config", v.Settings)...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source.Resolve(t.Context(), f)
		if err != nil || s.VCenters[len(s.VCenters)-1].Address != v.VCenters[1].Address {
			t.Errorf("%v: %v: %+v", words, err, s)
		}
	}

	// A second lab does not overwrite the files of the first.
	code, _, stderr := program.Run(t, termtest.NewFake(), "serve", "--dir", dir)
	if code != command.ExitFailed || !strings.Contains(stderr, "exists: it is not overwritten") {
		t.Errorf("a second lab in the same directory: exit code %d, %s", code, stderr)
	}

	before := out.Len()
	cancel(term.ErrInterrupted)
	if code := <-done; code != command.ExitDone {
		t.Errorf("exit code %d: %s", code, fake.Stderr.String())
	}
	if out.Len() != before { // scripts read one document while it serves
		t.Errorf("more than one document came: %s", out.String()[before:])
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
