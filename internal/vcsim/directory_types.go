package vcsim

import "time"

type account struct {
	Principal
	created time.Time
}
type group struct {
	Principal
	created time.Time
	members map[string]Principal
}
type source struct {
	name, alias string
	unreachable bool
}
type PasswordPolicy struct{}
type LockoutPolicy struct{}
type token struct{}
type SolutionUser struct{}
