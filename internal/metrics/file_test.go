package metrics

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

// wantError wants each of parts in err and its hints.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", parts)
	}
	said := err.Error()
	if h, ok := errors.AsType[interface {
		error
		Hints() []string
	}](err); ok {
		said += "\n" + strings.Join(h.Hints(), "\n")
	}
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("%s\ndoes not say %q", said, part)
		}
	}
}

func TestNamesThatNodeExporterIgnores(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fleet.txt", "fleet", "fleet.prom.new"} {
		path := filepath.Join(t.TempDir(), name)
		wantError(t, New().WriteFile(path), "reads only files that end in .prom", "call it "+strings.TrimSuffix(path, filepath.Ext(path))+".prom")
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// node-exporter is another user, and reads while we write.
func TestFileIsReadByOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text(t, everything(), dir)
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Fatalf("the directory holds %v, %v", names, err)
	}
	info, err := names[0].Info()
	if err != nil || info.Mode() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestFileKeepsTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "fleet.prom")
	if err := New().Load(path, fleet.Verify, nil); err != nil {
		t.Fatalf("nothing is there yet: %v", err)
	}
	first := New()
	first.Set(verified())
	text(t, first, dir)

	second := New()
	if err := second.Load(path, fleet.Verify, &fleet.Shard{Count: 4}); err != nil {
		t.Fatal(err)
	}
	now := verified()
	now.Ended = night.Add(24 * time.Hour)
	for i := range now.Clusters {
		now.Clusters[i] = fleet.Cluster{Name: now.Clusters[i].Name, Outcome: fleet.Failed, Ended: now.Ended}
	}
	second.Set(now)
	written := text(t, second, dir)
	for _, line := range []string{
		`ocp_vsphere_admin_last_success_timestamp_seconds{cluster="berlin",command="verify"} 1.79565844e+09`,
		`ocp_vsphere_admin_last_success_timestamp_seconds{cluster="paris",command="verify"} 1.79565845e+09`,
		`ocp_vsphere_admin_password_expiry_timestamp_seconds{cluster="berlin",command="verify",component="machine-api",vcenter="vcenter1.example.com"} 1.80084244e+09`,
		`ocp_vsphere_admin_cluster_outcome{cluster="berlin",command="verify",outcome="failed"} 1`,
	} {
		if !strings.Contains(written, line+"\n") {
			t.Errorf("%s\nis not in\n%s", line, written)
		}
	}
	if strings.Contains(written, "missing_privileges") {
		t.Errorf("figures of an earlier run are shown as current:\n%s", written)
	}
}

// A file that cannot be read costs the times, not the run.
func TestBrokenFileIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "fleet.prom")
	if err := os.WriteFile(path, []byte("ocp_vsphere_admin_last_success_timestamp_seconds{cluster=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := New()
	wantError(t, e.Load(path, fleet.Verify, nil), path, "earlier times are lost", "line 1")
	e.Set(verified())
	if !strings.Contains(text(t, e, dir), "missing_privileges") {
		t.Error("nothing was written")
	}
}

// Who gives two commands, or two shards, one file loses the figures of the first, and is told.
func TestFileOfAnotherRunIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := New()
	e.Set(verified())
	text(t, e, dir)
	path := filepath.Join(dir, "fleet.prom")
	wantError(t, New().Load(path, fleet.Plan, nil), "verify --shard 0/4", "replaced by those of plan", "a file of its own")
	wantError(t, New().Load(path, fleet.Verify, &fleet.Shard{Index: 1, Count: 4}), "verify --shard 0/4", "verify --shard 1/4")
}
