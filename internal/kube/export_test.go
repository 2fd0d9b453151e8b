package kube

// OpenEventsAt is OpenEvents where the token of the service account is mounted at dir.
func OpenEventsAt(getenv func(string) string, dir string) (*Events, error) {
	return openEvents(getenv, dir)
}
