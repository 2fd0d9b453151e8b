// Package heap decides how far the heap grows before it is collected. Its import alone has an effect.
package heap

import "runtime/debug"

// A run is short and small: collecting rarely saves a tenth of its processor time. Main would say so
// too late, after the libraries' tables have been collected. Of the packages whose imports are
// initialized, Go takes the first by path: this one comes before govmomi and Kubernetes.
var _ = debug.SetGCPercent(400)

// Memory of a run over many, in bytes: at first, and what stays of each with what is read meanwhile.
const (
	atFirst = 128 << 20
	ofEach  = 320 << 10
)

// Bound collects more often what n vCenters or clusters leave behind, so that a thousand need half a
// GiB. The first bound of a process stays, and GOMEMLIMIT goes before it, unless it is off.
func Bound(n int) {
	if debug.SetMemoryLimit(-1) == 1<<63-1 { // none
		debug.SetMemoryLimit(atFirst + int64(n)*ofEach)
	}
}
