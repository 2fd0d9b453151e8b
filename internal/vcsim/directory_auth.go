package vcsim

import "errors"

// Authenticate checks a password as a login does: a failure counts towards the lockout (R36).
func (d *Directory) Authenticate(name, password string) (Principal, error) {
	return Principal{}, errors.New("not yet")
}

// CheckPassword is Authenticate without side effects.
func (d *Directory) CheckPassword(name, password string) (Principal, error) {
	return Principal{}, errors.New("not yet")
}
