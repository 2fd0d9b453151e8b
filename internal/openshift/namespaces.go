package openshift

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// Namespaces are those of a cluster: nothing can be made in one that is going away.
type Namespaces map[string]Phase

// Phase is whether a namespace stays.
type Phase string

// The phases of a namespace, as the API names them.
const (
	Active      Phase = "Active"
	Terminating Phase = "Terminating"
)

// ParseNamespaces reads what `oc get namespaces -o yaml` (or -o json) prints. Other kinds are ignored. A dump without any
// is an error: a cluster has some, so that it would tell of all that they do not exist.
func ParseNamespaces(name string, data []byte) (Namespaces, error) {
	o := objects.New(name)
	all := Namespaces{}
	o.Each(data, func(from objects.Object) {
		if from.Kind != "Namespace" {
			return
		}
		before := o.Count()
		meta := o.Metadata(from)
		status := from.Object.Object("status")
		phase := status.Choice("phase", string(Active), string(Active), string(Terminating))
		switch {
		case o.Count() > before:
		case len(validation.IsDNS1123Label(meta.Name)) > 0:
			o.Report(from.Line, "a Namespace without a valid name")
		default:
			all[meta.Name] = Phase(phase)
		}
	})
	if err := o.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New(name + ": contains no Namespace: 'oc get namespaces -o yaml' prints them from a cluster")
	}
	return all, nil
}

// Takes says why nothing can be made in a namespace; nil where it can.
func (n Namespaces) Takes(namespace string) error {
	switch phase, there := n[namespace]; {
	case !there:
		return fmt.Errorf("namespace %s does not exist", namespace)
	case phase == Terminating:
		return fmt.Errorf("namespace %s is being deleted", namespace)
	}
	return nil
}
