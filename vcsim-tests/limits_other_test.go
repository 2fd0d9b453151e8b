//go:build unix && !linux

package vcsimtests

import (
	"errors"
	"os"
)

func dropFileCapabilities() error { return errors.New("only Linux can") }

func canDropRoot() bool { return os.Geteuid() != 0 }
