package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lookAndLanding are the commits that this one is held against unless -before names others: the one
// that the last look over the project was at, and the last one that landed before the laboratory
// became a program of its own.
const lookAndLanding = "a54d195,ad8824ab"

// earlier are the commits of -before.
func (o options) earlier() []string {
	return strings.FieldsFunc(o.before, func(r rune) bool { return r == ',' })
}

// sourceAt unpacks an earlier commit: nothing of the checkout is touched.
func (b *bench) sourceAt(ctx context.Context, commit string) (string, error) {
	source, archive := filepath.Join(b.dir, commit), filepath.Join(b.dir, commit+".tar")
	if _, err := os.Stat(source); err == nil {
		return source, nil
	}
	if err := os.Mkdir(source, 0o700); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"git", "-C", "..", "archive", "--format=tar", "-o", archive, commit},
		{"tar", "-xf", archive, "-C", source},
	} {
		if _, err := command(ctx, nil, args[0], args[1:]...); err != nil {
			return "", fmt.Errorf(`%s (-before "" and -bare "" compare with none): %w`, commit, err)
		}
	}
	return source, nil
}

// buildAt builds a program of an earlier commit, once.
func (b *bench) buildAt(ctx context.Context, commit, name string) (string, error) {
	out := filepath.Join(b.dir, name+"-"+commit)
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	source, err := b.sourceAt(ctx, commit)
	if err != nil {
		return "", err
	}
	return out, buildIn(ctx, source, out, "./cmd/"+name)
}

// serveAt is the command that starts the simulated vCenters of an earlier commit.
func (b *bench) serveAt(ctx context.Context, commit string) ([]string, error) {
	source, err := b.sourceAt(ctx, commit)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(source, "cmd", "vcenter-lab")); err == nil {
		lab, err := b.buildAt(ctx, commit, "vcenter-lab")
		return []string{lab, "serve"}, err
	}
	tool, err := b.buildAt(ctx, commit, "ocp-vsphere-admin") // the laboratory was a part of it
	return []string{tool, "simulate"}, err
}

// buildIn builds a package of the module in a directory as releases are built.
func buildIn(ctx context.Context, module, out, pkg string) error {
	_, err := command(ctx, nil, "go", "build", "-C", module, "-trimpath", "-ldflags=-s -w",
		"-o", out, pkg)
	return err
}

// packagesIn is how many packages are linked into a program.
func packagesIn(ctx context.Context, module, pkg string) (int, error) {
	list, err := command(ctx, nil, "go", "list", "-C", module, "-deps", pkg)
	return bytes.Count(list, []byte("\n")), err
}

// known leaves out the flags that a command of an earlier commit does not have: with an unknown
// flag it refuses, with a known one and --help it prints the help. A flag and its value are one
// word.
func known(ctx context.Context, env []string, tool string, words []string) []string {
	flag := func(w string) bool { return strings.HasPrefix(w, "-") }
	verb := slices.DeleteFunc(slices.Clone(words), flag)
	knows := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		if _, asked := knows[name]; flag(w) && !asked {
			_, err := command(ctx, env, tool, append(slices.Clone(verb), w, "--help")...)
			knows[name] = err == nil
		}
		return flag(w) && !knows[name]
	})
}
