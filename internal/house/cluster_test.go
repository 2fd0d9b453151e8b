package house_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// What the objects of a cluster say is worked out from them alone: no vCenter is asked, and no API server.
func TestClusterAsksNobody(t *testing.T) {
	t.Parallel()
	seen := false
	for _, p := range packages(t) {
		if p.Path != "internal/cluster" {
			continue
		}
		seen = true
		for _, dep := range p.Deps {
			if isGovmomi(dep) || strings.HasPrefix(dep, "k8s.io/client-go") {
				t.Errorf("internal/cluster depends on %s: it is a value, which others read", dep)
			}
		}
	}
	if !seen {
		t.Error("internal/cluster was not listed")
	}
}

// Secrets are handed on as a cluster: who takes a bare list looks for accounts in it by rules of his own.
func TestSecretsAreHandedOnAsACluster(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, s := range sources(t) {
		if s.test() || !strings.HasPrefix(s.path, "internal/") && !strings.HasPrefix(s.path, "cmd/ocp-vsphere-admin/") {
			continue
		}
		fset, file := parse(t, s)
		ast.Inspect(file, func(n ast.Node) bool {
			signature, ok := n.(*ast.FuncType)
			if !ok {
				return true
			}
			text := types.ExprString(signature)
			lists := strings.Contains(text, "[]corev1.Secret") || strings.Contains(text, "...corev1.Secret")
			switch may := slices.Contains([]string{"internal/cluster", "internal/objects"}, s.room()); {
			case lists && may:
				seen++
			case lists:
				t.Errorf("%s: a function of a list of secrets: make it one of a cluster.Cluster", fset.Position(n.Pos()))
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no list of secrets was seen: this test no longer looks at them")
	}
}
