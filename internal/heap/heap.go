// Package heap lets the heap grow before the first collection. It is imported for this effect.
package heap

import "runtime/debug"

// A run is short and small: collecting rarely saves a tenth of its processor time. Main would say so
// too late, after the libraries' tables have been collected. Of the packages whose imports are
// initialized, Go takes the first by path: this one comes before govmomi and Kubernetes.
var _ = debug.SetGCPercent(400)
