package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// A vCenter is its instance UUID: which names lead to one is told by that, and where a name does not answer by the passwords under it.
func TestNames(t *testing.T) {
	t.Parallel()
	const user = "ocp-c1-csi-driver@vsphere.local"
	section := func(server, user, password string) string {
		return fmt.Sprintf("[%s]\ncsi-driver.user = %s\ncsi-driver.password = %s\n\n", server, user, password)
	}
	type names map[string]string // what answers, by server
	for _, tt := range []struct {
		name     string
		file     string
		tag      string // of the account on vc1, a password
		peers    []string
		answers  names
		want     string // names / former of vc1, then of vc2
		refusals string
	}{
		{name: "one section each", file: section("vc1", user, "Passw0rd!-and-more-of-it") + section("vc2", user, "0ther!Pass-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B"}, want: "[] [] [] []"},
		{name: "twice in the specification", answers: names{"vc1": "A", "vc2": "a"}, refusals: "vc1 and vc2 are two names of one vCenter (instance UUID A): the specification names it twice; nothing was done"},
		{name: "twice, one of them left out of the run", answers: names{"vc1": "A", "vc2": "B", "left": "B"}, refusals: "vc2 and left are two names of one vCenter (instance UUID B): the specification names it twice; nothing was done"},
		{name: "another name answers", file: section("ip", user, "Passw0rd!-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B", "ip": "a"}, want: "[ip] [] [] []"},
		{name: "another vCenter answers", file: section("ip", user, "Passw0rd!-and-more-of-it"), tag: "Passw0rd!-and-more-of-it", answers: names{"vc1": "A", "vc2": "B", "ip": "C"}, want: "[] [] [] []"},
		{name: "a section of nobody of ours", file: section("ip", "bob@vsphere.local", "Passw0rd!-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B", "ip": "A"}, want: "[] [] [] []"},
		{name: "no answer, and the password of vc1", file: section("ip", user, "Passw0rd!-and-more-of-it"), tag: "Passw0rd!-and-more-of-it", answers: names{"vc1": "A", "vc2": "B"}, want: "[] [ip] [] []"},
		{name: "no answer, and another password", file: section("ip", user, "Passw0rd!-and-more-of-it"), tag: "0ther!Pass-and-more-of-it", answers: names{"vc1": "A", "vc2": "B"}, want: "[] [] [] []"},
		{name: "no answer, no tag, and only there", file: section("ip", user, "Passw0rd!-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B"}, want: "[] [ip] [] []"},
		{name: "no answer, no tag, and the same in both", file: section("ip", user, "Passw0rd!-and-more-of-it") + section("vc1", user, "Passw0rd!-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B"}, want: "[] [ip] [] []"},
		{name: "no answer, no tag, and two passwords", file: section("ip", user, "Passw0rd!-and-more-of-it") + section("vc1", user, "0ther!Pass-and-more-of-it"), answers: names{"vc1": "A", "vc2": "B"}, want: "[] [] [] []"},
		{name: "no answer of a linked vCenter", file: section("ip", user, "Passw0rd!-and-more-of-it"), tag: "Passw0rd!-and-more-of-it", peers: []string{"IP"}, answers: names{"vc1": "A", "vc2": "B"}, want: "[] [] [] []"},
		{name: "nobody was reached", file: section("ip", user, "Passw0rd!-and-more-of-it"), want: "[] [ip] [] []"},
	} {
		path := filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := credfile.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Parse("spec", []byte("apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1}, {server: vc2}, {server: left}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Narrow([]string{"vc1", "vc2"}, nil); err != nil {
			t.Fatal(err)
		}
		q := snapshot.NewRequest(snapshot.Request{Spec: s, Matrix: &privileges.Matrix{}, Credentials: file})
		ids := map[string]string{}
		var all []*snapshot.Snapshot
		for _, v := range s.VCenters {
			one := snapshot.New(q, v)
			one.Instance = tt.answers[v.Server]
			one.SSO = &sso.State{Names: sso.Names{Domain: "vsphere.local"}, Users: map[string]sso.User{}}
			if v.Server == "vc1" {
				u := sso.User{Name: "ocp-c1-csi-driver", Description: sso.Mark("c1", component.CSIDriver)}
				if tt.tag != "" {
					u.PasswordTag = secret.Random(tt.tag).Tag()
				}
				one.SSO.Users[u.Name] = u
			}
			q.Generate(one.Domain, []*snapshot.Snapshot{one})
			one.Domain.PeerServers = tt.peers
			all = append(all, one)
		}
		for server, id := range tt.answers {
			if !strings.HasPrefix(server, "vc") {
				ids[server] = id
			}
		}
		got, refused := "", q.Name(all, ids)
		if refused == nil {
			var lists []string
			for _, one := range all {
				lists = append(lists, fmt.Sprint(one.Names), fmt.Sprint(one.Former))
			}
			got = strings.Join(lists, " ")
		} else if refused.Error() != tt.refusals {
			t.Errorf("%s: %v", tt.name, refused)
		}
		if got != tt.want || (refused == nil) != (tt.refusals == "") {
			t.Errorf("%s: %q, not %q", tt.name, got, tt.want)
		}
		if !slices.Equal(all[0].OtherSections(), append(slices.Clone(all[0].Names), all[0].Former...)) {
			t.Errorf("%s: %v", tt.name, all[0].OtherSections())
		}
	}
}
