package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writerIn is the directory of a process that is killed before its file is complete.
const writerIn = "FILES_TEST_WRITER_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerIn); dir != "" {
		p, err := create(dir, 0o600)
		if err == nil {
			_, err = p.WriteString("half of a pass")
		}
		fmt.Println(err)
		_, _ = io.ReadAll(os.Stdin) // until it is killed
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startWriter starts such a process; kill ends it.
func startWriter(t *testing.T, dir string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerIn+"="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("the writer says %q, %v", line, err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// What a killed run leaves holds a password. The next run that writes there, whatever it writes, removes it, but not the
// file of a run that is still at work.
func TestLeftoversOfKilledRunsAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killFirst, killSecond := startWriter(t, dir), startWriter(t, dir)
	defer killSecond()
	killFirst()
	if got := names(t, dir); len(got) != 2 || !isPending(got[0]) || !isPending(got[1]) {
		t.Fatalf("the runs left %q", got)
	}
	if err := WritePrivate(filepath.Join(dir, "a"), []byte("a")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 2 || !isPending(got[0]) || got[1] != "a" {
		t.Fatalf("with one run at work there are %q", got)
	}
	killSecond()
	if err := WritePublic(filepath.Join(dir, "b"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("with none at work there are %q", got)
	}
}

// Only ours go: by name, and only what is a file.
func TestNothingElseIsSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	random := strings.Repeat("ABC27", 5) + "Z"
	kept := []string{
		pendingPrefix, pendingPrefix + random[1:], pendingPrefix + random + "A", pendingPrefix + strings.ToLower(random),
		pendingPrefix + random[1:] + "1", "x" + pendingPrefix + random, ".install-config.yaml." + random, pendingPrefix + random + ".yaml",
	}
	for _, name := range kept {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := pendingPrefix + strings.Repeat("D", 26)
	if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	kept = append(kept, folder, "out")
	if Posix {
		link := pendingPrefix + strings.Repeat("L", 26)
		if err := os.Symlink(filepath.Join(dir, kept[0]), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, link)
	}
	if err := WritePrivate(filepath.Join(dir, "out"), nil); err != nil {
		t.Fatal(err)
	}
	slices.Sort(kept)
	if got := names(t, dir); !slices.Equal(got, kept) {
		t.Errorf("there are %q, want %q", got, kept)
	}
}

// Many that write into one directory at once sweep each other's files, and still each gets its own.
func TestWritersDoNotSweepEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	errs := make(chan error)
	const writers, rounds = 8, 20
	for w := range writers {
		go func() {
			var err error
			for range rounds {
				path := filepath.Join(dir, fmt.Sprint(w))
				if err = WritePrivate(path, []byte(fmt.Sprint("of ", w))); err != nil {
					break
				}
				if text, _ := os.ReadFile(path); string(text) != fmt.Sprint("of ", w) {
					err = fmt.Errorf("%s holds %q", path, text)
					break
				}
			}
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := names(t, dir); len(got) != writers {
		t.Errorf("left: %q", got)
	}
}

// A directory is held by one at a time, and nothing of it stays there.
func TestHold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, ok, err := Hold(dir)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := Hold(dir); ok || err != nil {
		t.Errorf("held twice: %t, %v", ok, err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second, ok, err := Hold(dir)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}

func TestWritePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WritePrivate(path, []byte("after")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || Posix && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if text, _ := os.ReadFile(path); string(text) != "after" {
		t.Errorf("%q", text)
	}
	dir := filepath.Join(t.TempDir(), "in the way")
	if err := os.MkdirAll(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WritePrivate(dir, []byte("after")); err == nil {
		t.Error("a directory was replaced")
	}
	if left := names(t, filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// is tells a symbolic link from the none that Wine makes, saying that it did.
func is(path string, kind fs.FileMode) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&kind != 0
}

// CreatePrivate writes whole and 0600, and never over anything: of many at once, one.
func TestCreatePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	const writers = 8
	made := make(chan error, writers)
	for i := range writers {
		go func() { made <- CreatePrivate(path, []byte{byte('0' + i)}) }()
	}
	done := 0
	for range writers {
		switch err := <-made; {
		case err == nil:
			done++
		case !errors.Is(err, fs.ErrExist):
			t.Error(err)
		}
	}
	before, err := os.ReadFile(path)
	if done != 1 || len(before) != 1 || err != nil {
		t.Fatalf("%d of %d wrote %q, %v", done, writers, before, err)
	}
	if info, err := os.Stat(path); err != nil || Posix && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	dangling := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), dangling); err == nil && is(dangling, fs.ModeSymlink) {
		if err := CreatePrivate(dangling, []byte("x")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a symbolic link: %v", err)
		}
	}
	if err := CreatePrivate(dir, []byte("x")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a directory: %v", err)
	}
	if err := CreatePrivate(filepath.Join(dir, "none", "out"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	public := filepath.Join(dir, "public")
	if err := CreatePublic(public, []byte("x")); err != nil {
		t.Error(err)
	}
	if err := CreatePublic(public, []byte("y")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if data, err := os.ReadFile(public); string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if got := names(t, dir); slices.ContainsFunc(got, isPending) {
		t.Errorf("left behind: %q", got)
	}
}

// Replace gives a file just its mode, unless check refuses what was written: then all stays as it was.
func TestReplace(t *testing.T) {
	t.Parallel()
	path := put(t, 3, 0o600)
	refused := errors.New("refused")
	if err := Replace(path, []byte("new"), 0o400, func(string) error { return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); string(data) != "xxx" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	err := Replace(path, []byte("new"), 0o400, func(pending string) error {
		if data, err := os.ReadFile(pending); string(data) != "new" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		return nil
	})
	info, stated := os.Stat(path)
	if err != nil || stated != nil || Posix && info.Mode() != 0o400 {
		t.Errorf("%v, %v, %v", err, stated, info.Mode())
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}
