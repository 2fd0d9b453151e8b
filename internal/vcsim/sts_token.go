package vcsim

import "time"

// token is a bearer token that the STS of this SSO domain gave out.
type token struct {
	principal  Principal
	from, till time.Time
}
