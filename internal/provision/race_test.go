//go:build race

package provision_test

// raced tells that the race detector slows everything down, so that the law is held over fewer estates.
const raced = true
