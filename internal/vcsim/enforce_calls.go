package vcsim

import "github.com/vmware/govmomi/simulator"

// callNeeds are the methods whose privileges depend on their arguments.
// ok is false when the call is not one of those after all; then the table decides.
var callNeeds = map[string]func(x *access, call *simulator.Method) (needs []need, ok bool){}
