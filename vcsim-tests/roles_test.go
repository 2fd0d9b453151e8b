package vcsimtests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// roleVariables are the roles of the matrix default in the failure domains that lab writes, without their prefix: a
// script writes openshift-${role:csi-driver/datastore}, or ${role:csi-driver} with the layout component. A role
// for two scopes joins them by a plus sign. ${privileges:csi-driver/datastore} are its privileges in a list of JSON.
func roleVariables() (map[string]string, error) {
	m, err := privileges.Load("default")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, layout := range []string{privileges.LayoutScope, privileges.LayoutComponent} {
		for _, pool := range []bool{false, true} {
			for _, role := range access.RoleSet(m, privileges.RoleSetOptions{
				Layout: layout, Template: !pool,
				Holds: map[privileges.Condition]bool{
					privileges.FolderExisting: true, privileges.PoolExisting: pool, privileges.ManagedStorageClass: true,
				},
			}) {
				name := string(role.Component)
				if layout == privileges.LayoutScope {
					name += "/" + strings.Join(component.Words(role.Scopes), "+")
				}
				if _, made := all["role:"+name]; !made {
					all["role:"+name] = role.Name
					all["privileges:"+name] = `"` + strings.Join(role.Privileges, `","`) + `"`
				}
			}
		}
	}
	return all, nil
}

// roleVariable is how a script names a role or its privileges.
var roleVariable = regexp.MustCompile(`\$\{((?:role|privileges):[^}@]+)`)

// setRoles sets those that the script names. Two scripts of a name, in two directories, get those of both.
func setRoles(env *testscript.Env) error {
	paths, err := filepath.Glob("testdata/*/" + strings.TrimPrefix(filepath.Base(env.WorkDir), "script-") + ".txtar")
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no script of %s: %w", env.WorkDir, err)
	}
	roles, err := roleVariables()
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range roleVariable.FindAllStringSubmatch(string(text), -1) {
			if roles[m[1]] == "" {
				return fmt.Errorf("%s: the matrix default has no %s", path, m[1])
			}
			env.Setenv(m[1], roles[m[1]])
		}
	}
	return nil
}

// A script that names a role with its digest changes with every row of the matrix.
func TestScriptsNameRolesByScope(t *testing.T) {
	t.Parallel()
	roles, err := roleVariables()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(files) == 0 || len(roles) == 0 {
		t.Fatalf("%d scripts, %d roles: %v", len(files), len(roles), err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range roles {
			if strings.HasPrefix(name, "role:") && strings.Contains(string(text), value) {
				t.Errorf("%s: write ${%s} for %s", path, name, value)
			}
		}
	}
}

// sealed is the digest in the name of a role, in a plan's short form, too; counted, how many privileges a role has.
var (
	sealed  = regexp.MustCompile(`\b((?:` + strings.Join(component.Words(privileges.Scopes()), "|") + `)-)([0-9a-f]{6})\b`)
	counted = regexp.MustCompile(`\b\d+ privileges\b`)
)

// cmdMask takes from a file what follows from the rows of a matrix: the first digest in it becomes aaaaaa, the second
// bbbbbb, and numbers of privileges become N: mask FILE.
func cmdMask(ts *testscript.TestScript, neg bool, args []string) {
	seen := map[string]string{}
	text := sealed.ReplaceAllStringFunc(ts.ReadFile(args[0]), func(name string) string {
		at := len(name) - 6
		digest := name[at:]
		if seen[digest] == "" {
			seen[digest] = strings.Repeat(string(rune('a'+len(seen))), len(digest))
		}
		return name[:at] + seen[digest]
	})
	text = counted.ReplaceAllString(text, "N privileges")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
