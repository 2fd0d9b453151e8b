package identity

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"

// reader reads the objects of this package.
type reader struct{ objects.Reader }

func newReader(name string) reader { return reader{objects.New(name)} }
