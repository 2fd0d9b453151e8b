package kube

import "time"

// OpenEventsAt is OpenEvents where the token of the service account is mounted at dir.
func OpenEventsAt(getenv func(string) string, dir string) (*Events, error) {
	return openEvents(getenv, dir)
}

// Hurry has requests end within a time, and lists within these limits.
func (c *Cluster) Hurry(request, list time.Duration, bytes int64, pages int) {
	c.timeout, c.most = request, limits{list, bytes, pages}
	if c.login == nil && c.connect(c.config) != nil {
		panic("it was connected before")
	}
}

// HurryLogin has a plug-in for logging in end within a time.
func (c *Cluster) HurryLogin(within time.Duration) { c.login.within = within }
