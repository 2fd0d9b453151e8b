//go:build !race

package provision_test

// raced: see race_test.go.
const raced = false
