package vcsimtests

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// standIn is what the tests of govc call vcsim: it serves the laboratory with the inventory that
// govmomi's vcsim has by the same flags, and the same user and password, until it is stopped.
func standIn() {
	if len(os.Args) == 2 && os.Args[1] == "uuidgen" {
		fmt.Println(uuid.NewString())
		return
	}
	if err := serveAsVcsim(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "vcsim:", err)
		os.Exit(1)
	}
}

const standInUser, standInPassword = "user", "pass"

func serveAsVcsim(args []string) error {
	flags := flag.NewFlagSet("vcsim", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	n := map[string]*int{}
	for name, count := range map[string]int{
		"dc": 1, "cluster": 1, "host": 3, "standalone-host": 1, "ds": 1, "pg": 1, "vm": 2, "pool": 0, "app": 0, "pod": 0,
	} {
		n[name] = flags.Int(name, count, "")
	}
	told := flags.String("E", "", "where the variables of govc go")
	listen := flags.String("l", "", "address")
	wrong := flags.Parse(args)
	at, err := os.OpenFile(*told, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	if wrong != nil || flags.NArg() > 0 { // an ESX host, or services that the laboratory has not
		_, err := fmt.Fprintf(at, "skip 'the laboratory has no vcsim %s'\n", strings.Join(args[4:], " "))
		return err
	}
	lab, err := vcsim.Start(vcsim.Options{Listen: *listen, Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{modelOf(n)}}})
	if err != nil {
		return err
	}
	defer lab.Close()
	v := lab.VCenters[0]
	dir := v.Directory()
	if err := errors.Join(
		dir.SetPasswordPolicy(directory.PasswordPolicy{MinLength: 1, MaxLength: 20, MaxIdenticalAdjacent: 20}), // vcsim has none
		dir.AddMember("Administrators", standInUser, false),
	); err != nil {
		return err
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, os.Interrupt)
	_, err = fmt.Fprintf(at, "export GOVC_URL=https://%s:%s@%s/sdk\n", standInUser, standInPassword, v.Addr())
	if err = errors.Join(err, at.Close()); err == nil {
		<-stopped
	}
	return err
}

// modelOf is the inventory of govmomi's vcsim, as far as the laboratory has its kinds.
func modelOf(n map[string]*int) (c vcsim.Contents) {
	add := func(o vcsim.Object) { c.Objects = append(c.Objects, o) }
	many := func(of string, f func(i int)) {
		for i := range *n[of] {
			f(i)
		}
	}
	many("dc", func(d int) {
		dc := fmt.Sprintf("/DC%d", d)
		name := strings.TrimPrefix(dc, "/")
		add(vcsim.Object{Path: dc, Type: "Datacenter"})
		machines := func(pool, prefix string) {
			many("vm", func(i int) {
				add(vcsim.Object{Path: fmt.Sprintf("%s/vm/%s_VM%d", dc, prefix, i), Type: "VirtualMachine", Pool: pool, HostName: fmt.Sprintf("vm%d", i)})
			})
		}
		many("cluster", func(i int) {
			of := fmt.Sprintf("%s_C%d", name, i)
			var hosts []string
			many("host", func(h int) { hosts = append(hosts, fmt.Sprintf("%s_H%d", of, h)) })
			root := dc + "/host/" + of + "/Resources"
			add(vcsim.Object{Path: dc + "/host/" + of, Type: "ClusterComputeResource", Hosts: hosts})
			many("pool", func(p int) { add(vcsim.Object{Path: fmt.Sprintf("%s/%s_RP%d", root, of, p+1), Type: "ResourcePool"}) })
			many("app", func(a int) { add(vcsim.Object{Path: fmt.Sprintf("%s/%s_APP%d", root, of, a), Type: "VirtualApp"}) })
			machines(root, of+"_RP0")
		})
		many("standalone-host", func(i int) {
			of := fmt.Sprintf("%s_H%d", name, i)
			add(vcsim.Object{Path: dc + "/host/" + of, Type: "ComputeResource"})
			machines(dc+"/host/"+of+"/Resources", of)
		})
		many("ds", func(i int) { add(vcsim.Object{Path: fmt.Sprintf("%s/datastore/LocalDS_%d", dc, i), Type: "Datastore"}) })
		add(vcsim.Object{Path: dc + "/network/VM Network", Type: "Network"})
		if *n["pg"] > 0 {
			add(vcsim.Object{Path: dc + "/network/DVS0", Type: "DistributedVirtualSwitch"})
		}
		many("pod", func(i int) {
			add(vcsim.Object{Path: fmt.Sprintf("%s/datastore/%s_POD%d", dc, name, i), Type: "StoragePod"})
		})
		many("pg", func(i int) {
			add(vcsim.Object{
				Path: fmt.Sprintf("%s/network/%s_DVPG%d", dc, name, i), Type: "DistributedVirtualPortgroup", Switch: dc + "/network/DVS0",
			})
		})
	})
	for _, name := range []string{standInUser, "vcsim", "root"} { // vcsim takes every name
		c.Users = append(c.Users, vcsim.Account{Name: name + "@vsphere.local", Password: standInPassword})
	}
	c.Sources = []directory.IdentitySource{{Name: "corp.example.com", Alias: "CORP", Type: "ActiveDirectory"}}
	for _, name := range []string{standInUser, "vcsim"} {
		c.Permissions = append(c.Permissions, vcsim.Permission{Path: "/", Principal: name + "@vsphere.local", Role: "Admin", Propagate: true})
	}
	return c
}
