package openshift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// VCentersKey is the annotation of ours on secrets: which vCenter each server name led to when its accounts were written, as
// a JSON object of instance UUIDs by server name. cloud-credential-operator copies data, not annotations, so it is on the
// secrets that were applied, never on copies.
const VCentersKey = "ocp-vsphere-admin.github.io/vcenters"

// maxInstances bounds the annotation: all annotations of an object together have 256 KiB.
const maxInstances = 256 << 10

// Instances are the instance UUIDs of vCenters by server name (ServiceContent.about.instanceUuid), which a vCenter keeps
// for as long as it lives.
type Instances map[string]string

var instanceForm = pattern.Of(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// ParseInstances reads the value of [VCentersKey]. Anything but a JSON object of UUIDs, each server once, is refused.
func ParseInstances(text string) (Instances, error) {
	if len(text) > maxInstances {
		return nil, errors.New("is longer than an annotation can be")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	all := Instances{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("is not a JSON object")
		}
		server, _ := name.(string)
		value, err := d.Token()
		id, isText := value.(string)
		switch _, again := all[server]; {
		case err != nil || !isText || !instanceForm().MatchString(id):
			return nil, fmt.Errorf("%q has no instance UUID", server)
		case server == "":
			return nil, errors.New("has an instance UUID for no server")
		case again:
			return nil, fmt.Errorf("%q is in it twice", server)
		}
		all[server] = id
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("is not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has text after its JSON object")
	}
	return all, nil
}

// String is the value of [VCentersKey].
func (i Instances) String() string {
	text, err := json.Marshal(map[string]string(i)) // sorted; a map of strings always has a form
	if err != nil {
		return "{}"
	}
	return string(text)
}

// Record writes down which vCenters the accounts of a secret are for, as far as that is known: those of servers.
func (i Instances) Record(s *corev1.Secret, servers []string) {
	own := Instances{}
	for _, server := range servers {
		if id := i[server]; id != "" {
			own[server] = id
		}
	}
	if len(own) == 0 {
		return
	}
	annotations := map[string]string{VCentersKey: own.String()}
	for key, value := range s.Annotations {
		if key != VCentersKey {
			annotations[key] = value
		}
	}
	s.Annotations = annotations
}

// Recorded is what a secret records, as far as it can be read.
func Recorded(s *corev1.Secret) Instances {
	all, err := ParseInstances(s.Annotations[VCentersKey])
	if err != nil {
		return nil
	}
	return all
}
