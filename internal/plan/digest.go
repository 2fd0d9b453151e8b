package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// UnmarshalJSON gives Before and After the types that they had when the change was marshalled.
func (c *Change) UnmarshalJSON(data []byte) error {
	type bare Change
	read := struct {
		*bare
		Before json.RawMessage `json:"before"`
		After  json.RawMessage `json:"after"`
	}{bare: (*bare)(c)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	var err error
	if c.Before, err = c.Kind.state(read.Before); err == nil {
		c.After, err = c.Kind.state(read.After)
	}
	return err
}

// state reads a kind's object before or after a change; nil for null and nothing.
func (k Kind) state(data []byte) (State, error) {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil, nil
	}
	switch k {
	case Role:
		return stateOf[RoleState](data)
	case User, Group:
		return stateOf[UserState](data)
	case Permission:
		return stateOf[PermissionState](data)
	case Folder, Tag, Privilege, FailureDomain, VCenterKind:
	}
	return nil, fmt.Errorf("a %s has no state", k)
}

func stateOf[T State](data []byte) (State, error) {
	var s T
	err := json.Unmarshal(data, &s)
	return s, err
}

// Check refuses a plan that New, Add and Seal cannot have made: a report, unread, or miscounted.
func (p *Plan) Check() error {
	if p.APIVersion != APIVersion || p.Kind != KindPlan {
		return fmt.Errorf("is no %s of %s", KindPlan, APIVersion)
	}
	for _, v := range p.VCenters {
		switch {
		case v == nil || v.Changes == nil:
			return errors.New("a vCenter has no changes")
		case v.Error != "":
			return errors.New("a vCenter could not be read")
		case v.InstanceUUID == "":
			return errors.New("a vCenter has no instance UUID")
		}
		for _, c := range v.Changes {
			if c == nil {
				return errors.New("a change is none")
			}
		}
	}
	if p.Summary != p.count() {
		return errors.New("the summary counts other changes")
	}
	return nil
}

// digestForm is the only accepted form of a digest, because people compare and mail it whole.
var digestForm = pattern.Of(`^sha256:[0-9a-f]{64}$`)

// CheckDigest refuses a word that is no digest of a plan.
func CheckDigest(word string) error {
	if !digestForm().MatchString(word) {
		return errors.New("must be sha256: and 64 hexadecimal digits, as plan prints it")
	}
	return nil
}

// Seal sets the Digest of a plan that covers every vCenter: over vCenters with instance UUID, what
// the changes do, their order, and decided, which is what else a run depends on and can be any
// value that marshals. Statuses are excluded, so a report has its plan's digest, and so are
// findings, because only changes are approved.
func (p *Plan) Seal(decided any) {
	type bare struct {
		Server, InstanceUUID string
		Deeds                []string
	}
	if p.Digest = ""; len(p.Incomplete) > 0 { // a partly read plan cannot be approved
		return
	}
	var all []bare
	for _, v := range p.VCenters {
		if v.Error != "" {
			return
		}
		all = append(all, bare{Server: v.Server, InstanceUUID: v.InstanceUUID, Deeds: deedsOf(v.Changes)})
	}
	p.Digest = DigestOf(struct {
		APIVersion, Cluster string
		VCenters            []bare
		Decided             any
	}{p.APIVersion, p.Cluster, all, decided})
}

// DigestOf is the digest of a value that can be marshalled.
func DigestOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // only unmarshalable types in Before, After or v fail
		panic(fmt.Sprintf("plan: digest: %v", err))
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
