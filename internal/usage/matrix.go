package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// row is what tells a row of a matrix from the others: component, scope and privilege.
type row [3]string

// Matrix is a matrix of the rows whose privileges were used, on whatever vCenter, and those that only read. Each used row says by
// how many permissions, and when that was read.
func (u *Usage) Matrix(from *privileges.Matrix) (*privileges.Matrix, error) {
	used, servers := map[row]int{}, []string{}
	for _, v := range u.VCenters {
		if v.Error != "" {
			return nil, fmt.Errorf("%s was not read: a matrix of what the others used lacks what was used there", v.Server)
		}
		servers = append(servers, v.Server)
		for _, a := range v.Accounts {
			for _, p := range a.Permissions {
				for _, n := range p.needs {
					if slices.Contains(p.Used, n.Row.Privilege) {
						used[row{string(n.Account.Component), string(n.Row.Scope), n.Row.Privilege}]++
					}
				}
			}
		}
	}
	period := "read " + u.Read.Format(time.DateOnly)
	if u.Since != nil {
		period = "recorded since " + u.Since.UTC().Format(time.DateOnly) + ", " + period
	}
	m := *from
	m.Name, m.AsOf = "", u.Read.Format(time.DateOnly)
	m.Description = "rows of matrix " + from.Name + " whose privileges were used"
	m.Source = "privilege checks of " + strings.Join(servers, ", ") + ", " + period
	m.Notes = append([]string{"Made by 'privileges record show --matrix-out': " + Caution + "."}, m.Notes...)
	m.Rows = nil
	for _, r := range from.Rows {
		n := used[row{string(r.Component), string(r.Scope), r.Privilege}]
		switch {
		case privileges.Implicit(r.Privilege): // which is not recorded, and which all the others stand on
		case n > 0:
			r.Source += fmt.Sprintf("; used by %d permissions, %s", n, period)
		default:
			continue
		}
		m.Rows = append(m.Rows, r)
	}
	return &m, nil
}
