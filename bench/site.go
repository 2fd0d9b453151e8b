package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// site is a set of simulated vCenters with everything that an administrator has: a home, a CA file, a login, a spec.
type site struct {
	lab                   *vcsim.Lab
	home, ca, admin, file string
	tool                  string
	earlier               bool // the tool is of an earlier commit, which may lack flags
}

// siteOptions say what to build. Spec keys are added to the privileges section of the spec.
type siteOptions struct {
	vcenters, objects int
	latency           time.Duration
	privileges        map[string]string
}

func newSite(parent, tool string, o siteOptions) (*site, error) {
	lab, err := vcsim.Start(vcsim.Options{
		VCenters: o.vcenters,
		Latency:  o.latency,
		Estate:   vcsim.EstateOptions{Objects: o.objects},
	})
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(parent, "home-")
	if err != nil {
		lab.Close()
		return nil, err
	}
	s := &site{
		lab: lab, home: home, tool: tool,
		ca: filepath.Join(home, "ca.pem"), admin: filepath.Join(home, "admin"), file: filepath.Join(home, "spec.yaml"),
	}
	text, err := s.spec(o.privileges)
	if err != nil {
		lab.Close()
		return nil, err
	}
	var logins strings.Builder
	for _, v := range lab.VCenters {
		fmt.Fprintf(&logins, "[%s]\nuser = %s\npassword = `%s`\n", v.Server(), v.AdminUser(), v.AdminPassword())
	}
	err = errors.Join(
		os.WriteFile(s.ca, lab.CA, 0o600),
		os.WriteFile(s.admin, []byte(logins.String()), 0o600),
		os.WriteFile(s.file, text, 0o600),
	)
	if err != nil {
		lab.Close()
		return nil, err
	}
	return s, nil
}

// spec names one failure domain on each vCenter, with every kind of object that a grant can lie on. JSON is YAML.
func (s *site) spec(privileges map[string]string) ([]byte, error) {
	type object = map[string]any
	var vcenters []object
	for i, v := range s.lab.VCenters {
		dc := v.Estate().Datacenters[0]
		fd := object{"name": fmt.Sprintf("zone-%d", i+1), "datacenter": dc.Path, "networks": []string{}}
		if len(dc.Clusters) > 0 {
			fd["computeCluster"] = dc.Clusters[0].Path
			if pools := dc.Clusters[0].Pools; len(pools) > 0 {
				fd["resourcePool"] = pools[0]
			}
		}
		if len(dc.Folders) > 0 {
			i := slices.IndexFunc(dc.Folders, func(f string) bool { return strings.HasSuffix(f, "/openshift/cluster1") })
			fd["folder"] = dc.Folders[max(i, 0)]
		}
		if len(dc.Datastores) > 0 {
			fd["datastore"] = dc.Datastores[0]
		}
		if len(dc.Networks) > 0 {
			fd["networks"] = []string{dc.Networks[0].Path}
		}
		if len(dc.Templates) > 0 {
			fd["template"] = dc.Templates[0]
		}
		vcenters = append(vcenters, object{"server": v.Server(), "failureDomains": []object{fd}})
	}
	doc := object{"apiVersion": "ocp-vsphere-admin/v1", "kind": "Provisioning", "cluster": "cluster1", "vcenters": vcenters}
	if len(privileges) > 0 {
		doc["privileges"] = privileges
	}
	return json.MarshalIndent(doc, "", "  ")
}

func (s *site) close() { s.lab.Close() }

// env is a clean environment: nothing of the person who runs the bench leaks in.
func (s *site) env(more ...string) []string {
	return append([]string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR"), "NO_COLOR=1"}, more...)
}

// took is what one command, or one series of commands, cost.
type took struct {
	wall     time.Duration
	cpu      time.Duration // processor time of the one command; 0 for a series
	memory   int64         // bytes that the process of the one command held at its peak; 0 for a series
	simCPU   time.Duration // processor time of the simulated vCenters meanwhile: this process does nothing else
	requests int
	out      []byte
}

// cost runs f and counts what it asks of all vCenters together.
func (s *site) cost(f func() ([]byte, error)) (took, error) {
	for _, v := range s.lab.VCenters {
		v.ResetRequests()
	}
	begin, used := time.Now(), processorTime()
	out, err := f()
	t := took{wall: time.Since(begin), simCPU: processorTime() - used, out: out}
	for _, v := range s.lab.VCenters {
		t.requests += v.Total()
	}
	return t, err
}

// do runs one command of the tool, which may have words of its own, against every vCenter of the site.
func (s *site) do(ctx context.Context, verb string) (took, error) {
	args := append(strings.Fields(verb), "--file="+s.file, "--cacert="+s.ca,
		"--admin-credentials="+s.admin, "--no-input", "--output=json")
	for _, v := range s.lab.VCenters {
		args = append(args, "--connect-to="+v.Server()+"="+v.Addr())
	}
	if verb == "destroy" {
		args = append(args, "--applied")
	}
	if verb == "apply" || verb == "destroy" || strings.HasPrefix(verb, "rotate") && verb != "rotate status" {
		args = append(args, "--yes")
	}
	if s.earlier {
		args = known(ctx, s.env(), s.tool, args)
	}
	var u used
	t, err := s.cost(func() (out []byte, err error) {
		out, u, err = measured(ctx, s.home, s.env(), s.tool, args...)
		return out, err
	})
	t.cpu, t.memory = u.CPU, u.Memory
	return t, err
}

// processorTime is what this process has used so far, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (s *site) setLatency(d time.Duration) {
	for _, v := range s.lab.VCenters {
		v.SetLatency(d)
	}
}

// command runs a program and returns its standard output. A failure shows what the program said.
func command(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}
