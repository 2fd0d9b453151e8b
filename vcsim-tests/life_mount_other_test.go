//go:build !linux

package vcsimtests

func (*life) mount()   {}
func (*life) unmount() {}
