package credfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".vsphere", "credentials")
	unlock, err := Lock(path, "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if files.Posix && info.Mode().Perm() != 0o600 {
		t.Errorf("lock file has mode %o", info.Mode().Perm())
	}
	_, err = Lock(path, "")
	wantError(t, err, "another run is in progress: it has locked "+path+".lock")
	if !errors.Is(err, ErrLocked) {
		t.Error("not ErrLocked")
	}
	unlock()
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lock file left: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory that was made for the lock is left: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil { // what a killed run leaves
		t.Fatal(err)
	}
	unlock, err = Lock(path, "")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestLockKeepsOneAtATime lets many take the lock; whoever has it must be alone.
func TestLockKeepsOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	inside := make(chan struct{}, 1)
	done := make(chan error)
	for range 8 {
		go func() {
			for n := 0; n < 20; {
				unlock, err := Lock(path, "")
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					done <- err
					return
				}
				select {
				case inside <- struct{}{}:
				default:
					done <- errors.New("two hold the lock")
					unlock()
					return
				}
				n++
				<-inside
				unlock()
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestManyAtOnce sets from as many goroutines as a run has vCenters; the race detector watches.
func TestManyAtOnce(t *testing.T) {
	f := opened(t, "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for _, c := range components {
				if err := f.Set(fmt.Sprintf("vc%d.example.com", i), c, account("u@d", "p")); err != nil {
					t.Error(err)
				}
			}
			if err := f.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := Open(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		for _, c := range components {
			if _, ok := again.Get(fmt.Sprintf("vc%d.example.com", i), c); !ok {
				t.Errorf("vc%d: %s is lost", i, c)
			}
		}
	}
}
