package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// planned is what the bench reads of `plan -o json`.
type planned struct {
	VCenters []struct {
		Server  string   `json:"server"`
		Error   string   `json:"error"`
		Changes []change `json:"changes"`
	} `json:"vcenters"`
}

type change struct {
	Verb      string `json:"verb"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Object    string `json:"object"`
	Principal string `json:"principal"`
	After     struct {
		Privileges  []string `json:"privileges"`
		Role        string   `json:"role"`
		Propagate   bool     `json:"propagate"`
		Description string   `json:"description"`
	} `json:"after"`
}

// script is one list of govc commands for each vCenter, in the order of the design's script: roles, accounts, then
// permissions. It is derived from the plan, so both sides of the comparison end in the same state, and the two ids of
// the design that no vCenter knows are left out of both.
func script(plan []byte, password string) (map[string][][]string, error) {
	var p planned
	if err := json.Unmarshal(plan, &p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	commands := map[string][][]string{}
	for _, vc := range p.VCenters {
		if vc.Error != "" {
			return nil, fmt.Errorf("plan: %s: %s", vc.Server, vc.Error)
		}
		var roles, users, permissions [][]string
		for _, c := range vc.Changes {
			switch {
			case c.Verb != "create" && c.Verb != "update":
			case c.Kind == "role":
				roles = append(roles, append([]string{"role.create", c.Name}, c.After.Privileges...))
			case c.Kind == "user":
				name, _, _ := strings.Cut(c.Name, "@")
				users = append(users, []string{"sso.user.create", "-d", c.After.Description, "-p", password, name})
			case c.Kind == "permission":
				set := []string{"permissions.set", "-principal", c.Principal, "-role", c.After.Role, fmt.Sprintf("-propagate=%v", c.After.Propagate)}
				if c.Object != "/" { // without a path govc means the root folder
					set = append(set, c.Object)
				}
				permissions = append(permissions, set)
			}
		}
		if len(roles) == 0 || len(users) == 0 || len(permissions) == 0 {
			return nil, fmt.Errorf("plan: %s: %d roles, %d users, %d permissions: nothing to compare", vc.Server, len(roles), len(users), len(permissions))
		}
		commands[vc.Server] = append(append(roles, users...), permissions...)
	}
	return commands, nil
}

// runScript runs the commands one after the other, each a process of its own, vCenter after vCenter, as the design's
// script does. govc keeps its login between commands, which is its default.
func (s *site) runScript(ctx context.Context, govc string, commands map[string][][]string) (took, error) {
	return s.cost(func() ([]byte, error) {
		for _, v := range s.lab.VCenters {
			env := s.env(
				"GOVC_URL=https://"+v.Addr(), "GOVC_USERNAME="+v.AdminUser(), "GOVC_PASSWORD="+v.AdminPassword(),
				"GOVC_TLS_CA_CERTS="+s.ca, "GOVMOMI_HOME="+s.home+"/.govmomi",
			)
			for _, args := range commands[v.Server()] {
				if _, err := command(ctx, env, govc, args...); err != nil {
					return nil, fmt.Errorf("%s: %w", v.Server(), err)
				}
			}
		}
		return nil, nil
	})
}

// printScript shows the script for one vCenter as a shell would run it. The password stands for what the
// administrator would type: govc takes it as an argument, where every process list shows it.
func (b *bench) printScript(ctx context.Context) error {
	s, commands, err := b.scripted(ctx, 1)
	if err != nil {
		return err
	}
	defer s.close()
	for _, v := range s.lab.VCenters {
		for _, args := range commands[v.Server()] {
			printCommand(b.out, args)
		}
	}
	return nil
}

func printCommand(w io.Writer, args []string) {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if strings.ContainsAny(a, " !'$;\"\\@") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	fmt.Fprintln(w, "govc", strings.Join(quoted, " "))
}
