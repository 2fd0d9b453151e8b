package sso

import (
	"context"
	"errors"
	"strings"
	"time"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Who says how long a password still lasts.
const (
	SourceSSO    = "sso"    // the SSO administration
	SourceRecord = "record" // the day in the account's description, and the domain's policy
)

// Limits choose accounts by the age of their passwords; nil = no limit. Without any, all are
// chosen.
type Limits struct {
	OlderThan      *time.Duration // it was set so long ago, or longer
	ExpiringWithin *time.Duration // it has expired, or will in this time
}

// Chosen reports whether there are any.
func (limits Limits) Chosen() bool { return limits.OlderThan != nil || limits.ExpiringWithin != nil }

// Life is how long a password lasts. SSO precedes our record: only SSO knows of another
// administrator's password, or of a new policy.
type Life struct {
	Days    int    // that are left, rounded up; not more than 0 = expired
	Source  string // SourceSSO or SourceRecord; "" = unknown
	Endless bool   // it never expires
}

// Life is that of the account's password. lifetimeDays is the policy's, 0 = for ever. From the
// record, which has no hour, it may be a day too short.
func (u User) Life(lifetimeDays int, now time.Time) Life {
	switch {
	case u.DaysLeft != nil && *u.DaysLeft < 0:
		return Life{Source: SourceSSO, Endless: true}
	case u.DaysLeft != nil:
		return Life{Source: SourceSSO, Days: *u.DaysLeft}
	case lifetimeDays <= 0:
		return Life{Source: SourceRecord, Endless: true}
	case u.PasswordSet.IsZero():
		return Life{}
	}
	return Life{Source: SourceRecord, Days: lifetimeDays - u.AgeDays(now)}
}

// SetByOthers reports whether SSO tells that a password is newer than our record, by more than two
// days of rounding.
func (u User) SetByOthers(lifetimeDays int, now time.Time) bool {
	l := u.Life(lifetimeDays, now)
	age, known := l.age(u, lifetimeDays, now)
	return l.Source == SourceSSO && known && !u.PasswordSet.IsZero() &&
		u.AgeDays(now)-int(age/(24*time.Hour)) > 2
}

// AgeDays are the whole days since the password was set, by the record.
func (u User) AgeDays(now time.Time) int { return int(now.UTC().Sub(u.PasswordSet) / (24 * time.Hour)) }

// Expired reports whether it has certainly ended: by the record, the last day does not count.
func (l Life) Expired() bool {
	return !l.Endless && (l.Days < 0 || l.Days == 0 && l.Source == SourceSSO)
}

// Words say when it ends: "expires in 3 days", "has expired", "expired 2 days ago"; "" = never or
// unknown.
func (l Life) Words() string {
	switch {
	case l.Endless, l.Source == "":
		return ""
	case l.Days == 0 && l.Source == SourceSSO:
		return "has expired"
	case l.Days == 0:
		return "expires today"
	case l.Days < 0:
		return "expired " + term.Count(-l.Days, "day") + " ago"
	}
	return "expires in " + term.Count(l.Days, "day")
}

// Within reports whether it may end in this time. Days are rounded up.
func (l Life) Within(limit time.Duration) bool {
	return !l.Endless && l.Source != "" && (l.Days <= 0 || time.Duration(l.Days-1)*24*time.Hour < limit)
}

// Due reports whether the limits choose an account, and why, or why not: "expires in 3 days". u is
// as SSO has it, with DaysLeft if told; lifetimeDays is the policy's.
//
//   - A password that has expired or is of unknown age is always due: a new one is harmless,
//     and an unnoticed old one stops a cluster.
//   - Whether the account is locked does not matter.
//   - A disabled account is not due: it cannot log in, and gets a password when it is enabled.
func (limits Limits) Due(u User, lifetimeDays int, now time.Time) (due bool, why string) {
	l := u.Life(lifetimeDays, now)
	if !limits.Chosen() {
		return true, l.Words()
	}
	if u.Disabled {
		return false, "disabled"
	}
	var reasons []string
	unknown := false
	if limits.ExpiringWithin != nil {
		unknown = l.Source == ""
		if l.Within(*limits.ExpiringWithin) {
			reasons = append(reasons, l.Words())
		}
	}
	why = l.Words()
	if limits.OlderThan != nil {
		age, known := l.age(u, lifetimeDays, now)
		switch {
		case l.Within(0) && len(reasons) == 0:
			reasons = append(reasons, l.Words())
		case known && age >= *limits.OlderThan:
			reasons = append(reasons, "was set "+term.Count(int(age/(24*time.Hour)), "day")+" ago")
		case !known:
			unknown = true
		case limits.ExpiringWithin == nil:
			why = "was set " + term.Count(int(age/(24*time.Hour)), "day") + " ago"
		}
	}
	switch {
	case len(reasons) > 0:
		return true, strings.Join(reasons, "; ")
	case unknown:
		return true, "the age of its password is not known"
	}
	return false, why
}

// age is how old a password is: by SSO's remaining days before our record.
func (l Life) age(u User, lifetimeDays int, now time.Time) (age time.Duration, known bool) {
	switch {
	case l.Source == SourceSSO && !l.Endless && l.Days > 0 && lifetimeDays >= l.Days:
		return time.Duration(lifetimeDays-l.Days) * 24 * time.Hour, true
	case u.PasswordSet.IsZero():
		return 0, false
	}
	return now.UTC().Sub(u.PasswordSet), true
}

// DaysRequest is GetDaysRemainingUntilPasswordExpiration, which is in the WSDL but not in govmomi
// 0.56.
type DaysRequest struct {
	This   types.ManagedObjectReference `xml:"_this"`
	UserID ssotypes.PrincipalId         `xml:"userId"`
}

// DaysResponse is the answer: days, rounded up, 0 if the password has expired, -1 if it never does.
type DaysResponse struct {
	Returnval int32 `xml:"returnval"`
}

// GetDaysRemainingUntilPasswordExpirationBody is its envelope; the method is called as its type is.
type GetDaysRemainingUntilPasswordExpirationBody struct {
	Req    *DaysRequest  `xml:"urn:sso GetDaysRemainingUntilPasswordExpiration,omitempty"`
	Res    *DaysResponse `xml:"GetDaysRemainingUntilPasswordExpirationResponse,omitempty"`
	Fault_ *soap.Fault   `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as govmomi's bodies
}

// Fault implements soap.HasFault.
func (g *GetDaysRemainingUntilPasswordExpirationBody) Fault() *soap.Fault { return g.Fault_ }

// GetDaysRemainingUntilPasswordExpiration calls it, as govmomi's methods call theirs.
func GetDaysRemainingUntilPasswordExpiration(ctx context.Context, rt soap.RoundTripper, req *DaysRequest) (*DaysResponse, error) {
	var res GetDaysRemainingUntilPasswordExpirationBody
	if err := rt.RoundTrip(ctx, &GetDaysRemainingUntilPasswordExpirationBody{Req: req}, &res); err != nil {
		return nil, err
	}
	return res.Res, nil
}

// DaysLeft asks how long the password of an account of the SSO domain lasts: days, rounded up, 0 if
// it has expired, -1 if it never does. known is false if the SSO administration refuses or does not
// know the question; then the day in the account's description ([User].PasswordSet) remains.
func (c *Client) DaysLeft(ctx context.Context, name string) (days int, known bool, err error) {
	res, err := GetDaysRemainingUntilPasswordExpiration(ctx, c.sso, &DaysRequest{
		This: c.sso.Content.PrincipalManagementService, UserID: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	})
	switch {
	case err == nil:
		return int(res.Returnval), true, nil
	case vcenter.Refused(err):
		return 0, false, nil
	default:
		return 0, false, err
	}
}

// AskDaysLeft sets DaysLeft of accounts of the SSO domain, as far as SSO tells, with parallel
// requests.
func (c *Client) AskDaysLeft(ctx context.Context, users ...*User) error {
	errs := make([]error, len(users))
	var wg crash.Group
	for i, u := range users {
		wg.Go(func() {
			days, known, err := c.DaysLeft(ctx, u.Name)
			if errs[i] = err; known {
				u.DaysLeft = &days
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Expired reports whether SSO was asked and says that the password has expired.
func (u User) Expired() bool { return u.DaysLeft != nil && *u.DaysLeft == 0 }
