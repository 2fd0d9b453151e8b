package command_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestSourceFlags(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "spec.yaml", clitest.SmallSpec, 0o600)
	infra := clitest.WriteFile(t, "infrastructure.yaml", clitest.SmallInfrastructure, 0o600)
	for _, c := range []struct{ words, want, wantErr string }{
		{words: "--vcenters a.example.com,b.example.com:8443", want: "a.example.com:443= b.example.com:8443="},
		{words: "-f FILE", want: "vcenter1.example.com:443= vcenter2.example.com:443="},
		{words: "-f -", want: "vcenter1.example.com:443= vcenter2.example.com:443="},
		{words: "-f FILE --vcenters vcenter2.example.com", want: "vcenter2.example.com:443="},
		{words: "-f FILE --connect-to vcenter1.example.com=127.0.0.1:8989", want: "vcenter1.example.com:443=127.0.0.1:8989 vcenter2.example.com:443="},
		{words: "", wantErr: "no vCenter is given"},
		{words: "-f FILE --vcenters vcentre2.example.com", wantErr: "vcenter2.example.com"},
		{words: "-f FILE --connect-to vcenter3.example.com=127.0.0.1:1", wantErr: "--connect-to"},
		{words: "-f FILE --connect-to vcenter1.example.com=127.0.0.1", wantErr: "must be server=host:port"},
		{words: "-f FILE --connect-to vcenter1.example.com", wantErr: "must be server=host:port"},
		{words: "-f FILE --connect-to a=b:1 --connect-to a=c:1", wantErr: "named twice"},
		{words: "-f FILE --components csi-drver", wantErr: `"csi-drver" is not one of`},
		{words: "-f FILE --conditions vsan-fil", wantErr: "vsan-fil"},
		{words: "-f FILE --conditions folder-created", wantErr: "follows from the failure domains"},
		{words: "-f /nowhere.yaml", wantErr: "/nowhere.yaml"},
		{words: "--infrastructure INFRA", want: "vcenter1.example.com:443= vcenter2.example.com:443="},
		{words: "--infrastructure INFRA --vcenters vcenter2.example.com", want: "vcenter2.example.com:443="},
		{words: "--infrastructure /nowhere.yaml", wantErr: "--infrastructure: /nowhere.yaml does not exist"},
		{words: "--infrastructure FILE", wantErr: "is a provisioning file, not an Infrastructure: pass it with --file"},
		{words: "-f INFRA", wantErr: "is the Infrastructure of a cluster, not a provisioning file: pass it with --infrastructure"},
		{words: "--install-config INFRA", wantErr: "is the Infrastructure of a cluster, not an install-config: pass it with --infrastructure"},
		{words: "--infrastructure kubeconfig:", wantErr: "--infrastructure: kubeconfig: names no file: write kubeconfig:FILE or kubeconfig:FILE#CONTEXT"},
		{words: "--infrastructure kubeconfig:#admin", wantErr: "names no file"},
		{words: "--infrastructure kubeconfig:/nowhere#admin", wantErr: "--infrastructure: kubeconfig /nowhere: open /nowhere"},
		{words: "--infrastructure kubeconfig:~/kc", wantErr: "--infrastructure: kubeconfig HOME/kc: open HOME/kc"},
	} {
		var source command.SourceFlags
		f := onStdin(clitest.SmallSpec)
		f.Home = "/home/somebody"
		c.wantErr = strings.ReplaceAll(c.wantErr, "HOME", f.Home)
		clitest.ParseFlags(t, source.Register, strings.Fields(strings.NewReplacer("FILE", file, "INFRA", infra).Replace(c.words))...)
		s, err := source.Resolve(t.Context(), f)
		if c.wantErr != "" {
			clitest.WantErr(t, err, c.wantErr)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
			continue
		}
		var got []string
		for _, vc := range s.VCenters {
			got = append(got, vc.Server+":"+map[int]string{443: "443", 8443: "8443"}[vc.Port]+"="+vc.Address)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", c.words, diff)
		}
	}
}

// onStdin has a text on stdin.
func onStdin(text string) *command.Factory {
	fake := termtest.NewFake()
	fake.In = strings.NewReader(text)
	return command.NewFactory(fake.Streams, command.Build{})
}

func TestMatrixAndConditionsAddToTheFile(t *testing.T) {
	t.Parallel()
	var source command.SourceFlags
	clitest.ParseFlags(t, source.Register, "-f", "-", "--matrix", "enhancement", "--conditions", "vsan-file,ova-import")
	s, err := source.Resolve(t.Context(), onStdin(clitest.SmallSpec+"privileges: {conditions: [vsan-file]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"vsan-file", "ova-import"}, s.Privileges.Conditions); diff != "" || s.Privileges.Matrix != "enhancement" {
		t.Errorf("matrix %s, %s", s.Privileges.Matrix, diff)
	}
}

func TestAdminCredentialsInOrder(t *testing.T) {
	t.Parallel()
	ini := clitest.WriteFile(t, "admin", "[vc1]\nuser = ini@x\npassword = ini-pw\n", 0o600)
	pw := clitest.WriteFile(t, "pw", "file-pw\n", 0o600)
	ours := map[string]string{command.EnvAdminUser: "env@x", command.EnvAdminPassword: "env-pw"}
	govc := map[string]string{command.GovcUser: "govc@x", command.GovcPassword: "govc-pw"}
	for _, c := range []struct {
		name, words, server string
		env                 []map[string]string
		answers             []string
		want                string
	}{
		{"the file first", "--admin-credentials INI --admin-user u --admin-password-file PW", "vc1", []map[string]string{ours, govc}, nil, "ini@x/ini-pw"},
		{"flags for other vCenters", "--admin-credentials INI --admin-user u --admin-password-file PW", "vc2", []map[string]string{ours, govc}, nil, "u/file-pw"},
		{"stdin", "--admin-user u --admin-password-file -", "vc1", nil, nil, "u/stdin-pw"},
		{"our variables", "", "vc1", []map[string]string{ours, govc}, nil, "env@x/env-pw"},
		{"user by flag, password by variable", "--admin-user u", "vc1", []map[string]string{{command.EnvAdminPassword: "env-pw"}}, nil, "u/env-pw"},
		{"never another user's password", "--admin-user u", "vc1", []map[string]string{ours, govc}, []string{"typed"}, "u/typed"},
		{"govc's variables", "", "vc1", []map[string]string{govc}, nil, "govc@x/govc-pw"},
		{"half of ours is asked for, not replaced", "", "vc1", []map[string]string{{command.EnvAdminUser: "env@x"}, govc}, []string{"typed"}, "env@x/typed"},
		{"questions", "", "vc1", nil, []string{"me@x", "typed"}, "me@x/typed"},
	} {
		fake := termtest.NewFake()
		fake.Stdin.WriteString("stdin-pw\n")
		for _, env := range c.env {
			maps.Copy(fake.Env, env)
		}
		if c.answers != nil {
			fake.WithAnswers(c.answers...)
		}
		var admin command.AdminFlags
		clitest.ParseFlags(t, admin.Register, strings.Fields(strings.NewReplacer("INI", ini, "PW", pw).Replace(c.words))...)
		admins, err := admin.Resolve(command.NewFactory(fake.Streams, command.Build{}))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := loginOf(admins, c.server); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestAnswersAreOfferedForTheNextVCenter(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithAnswers("me@x", "one", "", "", "", "two")
	admins, err := (&command.AdminFlags{}).Resolve(command.NewFactory(fake.Streams, command.Build{}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"me@x/one", "me@x/one", "me@x/two"} {
		if got, err := loginOf(admins, "vc"); got != want || err != nil {
			t.Errorf("vCenter %d: %s, %v; want %s", i+1, got, err, want)
		}
	}
}

// Of a file for many vCenters only the sections of those that are used have to be filled in.
func TestUnfilledAdminCredentials(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "admin", "[vc1]\nuser = a\npassword = x\n[vc2]\nuser = a\npassword = REPLACE_WITH_PASSWORD\n", 0o600)
	for servers, want := range map[string]string{"vc1": "", "vc1,vc2": path + ":6: [vc2] password is a placeholder"} {
		var c command.Connection
		clitest.ParseFlags(t, c.Register, "--admin-credentials", path, "--vcenters", servers)
		_, _, _, err := c.Resolve(t.Context(), command.NewFactory(termtest.NewFake().Streams, command.Build{}))
		if want == "" && err != nil {
			t.Errorf("%s: %v", servers, err)
		} else if want != "" {
			clitest.WantErr(t, err, want)
		}
	}
}

func TestWrongAdminCredentials(t *testing.T) {
	t.Parallel()
	loose := clitest.WriteFile(t, "admin", "[vc1]\nuser = a\npassword = secret-canary\n", 0o640)
	for words, want := range map[string]string{
		"--admin-credentials " + loose:                                                             "insecure permissions 640",
		"--admin-credentials /nowhere":                                                             "/nowhere does not exist",
		"--admin-password-file " + clitest.WriteFile(t, "pw", "x", 0o600):                          "--admin-password-file: --admin-user is required",
		"--admin-user u --admin-password-file /nowhere":                                            "/nowhere",
		"--admin-user u --admin-password-file " + clitest.WriteFile(t, "pw", "\n", 0o600):          "is empty",
		"--admin-user u --admin-password-file " + clitest.WriteFile(t, "pw", "canary\nb\n", 0o600): "more than one line",
	} {
		var admin command.AdminFlags
		clitest.ParseFlags(t, admin.Register, strings.Fields(words)...)
		_, err := admin.Resolve(command.NewFactory(termtest.NewFake().Streams, command.Build{}))
		clitest.WantErr(t, err, want)
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("an error shows a password: %v", err)
		}
	}
	for user, want := range map[string]string{"": "--admin-user or " + command.EnvAdminUser, "u": "--admin-password-file or " + command.EnvAdminPassword} {
		fake := termtest.NewFake().WithAnswers("u", "p")
		fake.NoInput = true
		admins, err := (&command.AdminFlags{User: user}).Resolve(command.NewFactory(fake.Streams, command.Build{}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = loginOf(admins, "vc1")
		clitest.WantErr(t, err, "vc1: the administrator's", "--no-input")
		fake.PrintError("p", err)
		clitest.WantText(t, "hint", fake.Stderr.String(), want)
	}
}

func TestThumbprints(t *testing.T) {
	t.Parallel()
	sha256, sha1 := strings.Repeat("AB:", 31)+"AB", strings.Repeat("0F:", 19)+"0F"
	for in, want := range map[string]string{
		sha256: sha256, strings.ToLower(sha256): sha256, strings.ReplaceAll(sha256, ":", ""): sha256, strings.ToLower(sha1): sha1,
		"AB:CD": "", "zz": "", sha256 + ":AB": "",
	} {
		got, err := command.Thumbprint(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}

func TestTLSFlags(t *testing.T) {
	t.Parallel()
	sha1 := strings.Repeat("0f", 20)
	notPEM := clitest.WriteFile(t, "ca.der", "no PEM", 0o600)
	for _, c := range []struct {
		words, env, want string
		insecure         bool
	}{
		{words: ""},
		{words: "--insecure", insecure: true},
		{env: "GOVC_INSECURE=1", insecure: true},
		{words: "--insecure=false", env: "GOVC_INSECURE=true"},
		{env: "GOVC_INSECURE=perhaps", want: "GOVC_INSECURE"},
		{words: "--thumbprint vc1=" + sha1},
		{words: "--thumbprint vc2=" + sha1, want: `"vc2" is not one of vc1`},
		{words: "--thumbprint vc1=AA", want: "is not a thumbprint: write 32 bytes (SHA-256) or 20 bytes (SHA-1) in hexadecimal, all of them"},
		{words: "--thumbprint " + sha1, want: "must be server=AA:BB"},
		{words: "--cacert " + notPEM, want: "no PEM certificate"},
		{words: "--cacert /nowhere.pem", want: "/nowhere.pem"},
		{env: "GOVC_TLS_CA_CERTS=/nowhere.pem", want: "GOVC_TLS_CA_CERTS"},
	} {
		fake := termtest.NewFake()
		if k, v, ok := strings.Cut(c.env, "="); ok {
			fake.Env[k] = v
		}
		var tls command.TLSFlags
		clitest.ParseFlags(t, tls.Register, strings.Fields(c.words)...)
		out, err := tls.Resolve(fake.Streams, []string{"vc1"})
		switch {
		case c.want != "":
			clitest.WantErr(t, err, c.want)
		case err != nil || out.Insecure != c.insecure:
			t.Errorf("%s %s: %v, insecure %v", c.words, c.env, err, out.Insecure)
		}
		if warned := strings.HasPrefix(fake.Stderr.String(), "warning: certificates are not checked"); warned != c.insecure {
			t.Errorf("%s %s: warned %v", c.words, c.env, warned)
		}
	}
}

func TestStdinIsReadOnce(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"plan -f - --admin-user u --admin-password-file -",
		"plan -f - --admin-credentials -",
		"verify --admin-credentials - --credentials-file -",
		"secrets emit --against - --credentials-file -",
	} {
		if code, _, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...); code != command.ExitFailed || !strings.Contains(stderr, "stdin can be read only once: it cannot be both --") {
			t.Errorf("%s: %d, %s", words, code, stderr)
		}
	}
}

func TestExclusiveSources(t *testing.T) {
	t.Parallel()
	for _, two := range [][]string{{"file", "install-config"}, {"file", "infrastructure"}, {"install-config", "infrastructure"}} {
		var source command.SourceFlags
		cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
		source.Register(cmd)
		cmd.SetArgs([]string{"--" + two[0], "a", "--" + two[1], "b"})
		clitest.WantErr(t, cmd.Execute(), two...)
	}
}

// loginOf is user/password of the login that a vCenter would be sent first.
func loginOf(a *command.Administrators, server string) (string, error) {
	if err := a.Ask(context.Background(), []string{server}, false, func(context.Context, string) error { return nil }); err != nil {
		return "", err
	}
	var got command.AdminLogin
	err := a.Admit(context.Background(), server, func(l command.AdminLogin, _ bool) error {
		got = l
		return nil
	})
	return got.User + "/" + got.Password.Reveal(), err
}
