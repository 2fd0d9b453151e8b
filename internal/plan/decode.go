package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// state reads what an object of a kind is before or after a change; nil for null and nothing.
func (k Kind) state(data []byte) (State, error) {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil, nil
	}
	switch k {
	case Role:
		return stateOf[RoleState](data)
	case User:
		return stateOf[UserState](data)
	case Permission:
		return stateOf[PermissionState](data)
	case Folder, Tag, Privilege, FailureDomain:
	}
	return nil, fmt.Errorf("a %s has no state", k)
}

func stateOf[T State](data []byte) (State, error) {
	var s T
	err := json.Unmarshal(data, &s)
	return s, err
}

// Check refuses a plan that was read from somewhere and is none that New, Add and Seal could have made: a report, one of
// vCenters that were not read, one that counts wrongly.
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
