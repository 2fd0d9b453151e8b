package vcsim

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// fixedTree is a hierarchy for the engine alone.
type fixedTree map[moref]place

func (t fixedTree) place(ref moref) (place, bool) {
	p, ok := t[ref]
	return p, ok
}

// byDefinition computes rights as the rules are written: follow every path upwards, the first object with a rule
// for the subject that counts at the start decides; paths are added; no memory.
func byDefinition(e *evaluator, start moref) map[int32]bool {
	out := map[int32]bool{}
	own, ok := ruleAt(e, start, false)
	if ok {
		return own
	}
	var climb func(ref moref, p place, one bool)
	climb = func(ref moref, p place, one bool) {
		for _, parent := range p.parents {
			if found, ok := ruleAt(e, parent, !one); ok {
				maps.Copy(out, found)
				continue
			}
			up, _ := e.tree.place(parent)
			climb(parent, up, false)
		}
	}
	p, _ := e.tree.place(start)
	climb(start, p, p.complex)
	return out
}

func ruleAt(e *evaluator, ref moref, onlyPropagating bool) (map[int32]bool, bool) {
	groups := map[int32]bool{}
	for _, g := range e.st.grants[ref] {
		if onlyPropagating && !g.propagate {
			continue
		}
		if g.key == e.who.user {
			return map[int32]bool{g.role: true}, true
		}
		if e.who.groups[g.key] {
			groups[g.role] = true
		}
	}
	return groups, len(groups) > 0
}

// The engine, which remembers, agrees with the rules, whatever the tree and whatever was asked before.
func TestEngineAgreesWithTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "objects")
		ref := func(i int) moref { return moref{Type: "Folder", Value: fmt.Sprint(i)} }
		tree := fixedTree{ref(0): {}}
		for i := 1; i < n; i++ {
			p := place{parents: []moref{ref(rapid.IntRange(0, i-1).Draw(t, "parent"))}}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				p.parents = append(p.parents, ref(rapid.IntRange(0, i-1).Draw(t, "second parent")))
			case 1:
				p.complex = true
			}
			tree[ref(i)] = p
		}
		st := &authzState{roles: map[int32]*role{}, grants: map[moref][]grant{}}
		for id := range int32(4) {
			st.roles[id] = &role{id: id}
		}
		keys := []string{"user:u", "group:g", "group:h", "user:other", "group:other"}
		for range rapid.IntRange(0, 12).Draw(t, "permissions") {
			st.set(ref(rapid.IntRange(0, n-1).Draw(t, "on")), grant{
				key: rapid.SampledFrom(keys).Draw(t, "to"), role: rapid.Int32Range(0, 3).Draw(t, "role"), propagate: rapid.Bool().Draw(t, "propagate"),
			})
		}
		e := newEvaluator(st, subject{user: "user:u", groups: map[string]bool{"group:g": true, "group:h": true}}, tree, ref(0))
		for range 2 * n {
			at := ref(rapid.IntRange(0, n-1).Draw(t, "ask"))
			want := slices.Sorted(maps.Keys(byDefinition(e, at)))
			if got := e.on(at).ids(); !slices.Equal(got, want) {
				t.Fatalf("on %s: roles %v, want %v", at.Value, got, want)
			}
		}
	})
}
