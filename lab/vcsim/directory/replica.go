package directory

import "time"

// stamp is where and when something of an account was written.
type stamp struct {
	site int
	at   time.Time
}

// Replica is the directory as a linked vCenter sees it: what is written through another one appears there after the delay
// (R40). New accounts, passwords and details come late; the rest is the same everywhere at once, failed logins and locks among
// it, so that a refused login anywhere counts everywhere. Call it before anything is written.
func (d *Directory) Replica(delay time.Duration) *Directory {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sites++
	d.replication = delay
	return &Directory{state: d.state, site: d.sites}
}

// SetReplication changes the delay, for what was written before, too.
func (d *Directory) SetReplication(delay time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replication = delay
}

func (d *Directory) stamp() stamp { return stamp{d.site, d.now()} }

// late reports whether what was written has not come here yet.
func (d *Directory) late(s stamp) bool {
	return s.site != d.site && d.now().Sub(s.at) < d.replication
}

// account finds one that is known here.
func (d *Directory) account(name string) *account {
	a := d.accounts[key(d.split(name))]
	if a == nil || d.late(a.made) {
		return nil
	}
	return a
}

// passwordOf is the one that opens an account here.
func (d *Directory) passwordOf(a *account) string {
	if d.late(a.set) {
		return a.formerPassword
	}
	return a.password
}

// detailsOf are those that are read here.
func (d *Directory) detailsOf(a *account) Details {
	if d.late(a.described) {
		return a.formerDetails
	}
	return a.details
}

// setPassword replaces the password of an account.
func (d *Directory) setPassword(a *account, password string) {
	a.formerPassword, a.set = d.passwordOf(a), d.stamp()
	a.password, a.changed, a.expired = password, d.now(), false
}

// setDetails replaces its details.
func (d *Directory) setDetails(a *account, details Details) {
	a.formerDetails, a.described = d.detailsOf(a), d.stamp()
	a.details = details
}
