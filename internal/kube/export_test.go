package kube

import "time"

// OpenEventsAt is OpenEvents where the token of the service account is mounted at dir.
func OpenEventsAt(getenv func(string) string, dir string) (*Events, error) {
	return openEvents(getenv, dir)
}

// Hurry has requests end within a time, and lists within these limits.
func (c *Cluster) Hurry(request, list time.Duration, bytes int64, pages int) {
	c.http.Timeout, c.most = request, limits{list, bytes, pages}
}

// HurryLogin has a plug-in for logging in end within a time.
func (c *Cluster) HurryLogin(within time.Duration) { c.login.within = within }
