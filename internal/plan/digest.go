package plan

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// digestForm is how a digest is written, and the only form that is accepted: people compare and mail it whole.
var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// CheckDigest refuses what no digest of a plan looks like.
func CheckDigest(word string) error {
	if !digestForm.MatchString(word) {
		return errors.New("must be sha256: and 64 hexadecimal digits, as plan prints it")
	}
	return nil
}

// Seal sets the Digest of a plan that could be made on every vCenter: over all that is shown (vCenters with instance UUID,
// changes with states and notes, their order) and decided, which is everything else that a run of the plan depends on.
// What became of the changes is left out, so that a report has the digest of its plan. decided is any value that can be
// marshalled.
func (p *Plan) Seal(decided any) {
	type bare struct {
		Server, InstanceUUID string
		Changes              []*Change
	}
	p.Digest = ""
	var all []bare
	for _, v := range p.VCenters {
		if v.Error != "" { // nobody can approve what was not read
			return
		}
		b := bare{Server: v.Server, InstanceUUID: v.InstanceUUID}
		for _, c := range v.Changes {
			plain := *c
			plain.Status, plain.Error = "", ""
			b.Changes = append(b.Changes, &plain)
		}
		all = append(all, b)
	}
	data, err := json.Marshal(struct {
		APIVersion, Cluster string
		VCenters            []bare
		Decided             any
	}{p.APIVersion, p.Cluster, all, decided})
	if err != nil { // only unmarshalable types in Before, After or decided could do this
		panic(fmt.Sprintf("plan: digest: %v", err))
	}
	p.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
