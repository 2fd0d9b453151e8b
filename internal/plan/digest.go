package plan

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// digestForm is how a digest is written, and the only form that is accepted: people compare and mail it whole.
var digestForm = pattern.Of(`^sha256:[0-9a-f]{64}$`)

// CheckDigest refuses what no digest of a plan looks like.
func CheckDigest(word string) error {
	if !digestForm().MatchString(word) {
		return errors.New("must be sha256: and 64 hexadecimal digits, as plan prints it")
	}
	return nil
}

// Seal sets the Digest of a plan that could be made on every vCenter: over all that is done (vCenters with instance UUID, what the
// changes do, their order) and decided, which is everything else that a run of the plan depends on. What became of the changes is
// left out, so that a report has the digest of its plan, and so are findings: who approves changes approves them whatever is told
// beside them. decided is any value that can be marshalled.
func (p *Plan) Seal(decided any) {
	type bare struct {
		Server, InstanceUUID string
		Deeds                []string
	}
	if p.Digest = ""; len(p.Incomplete) > 0 { // nobody can approve what was not read
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
	if err != nil { // only unmarshalable types in Before, After or what is given could do this
		panic(fmt.Sprintf("plan: digest: %v", err))
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
