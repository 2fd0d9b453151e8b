package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// The values of [Condition.Status].
const (
	True    = "True"
	False   = "False"
	Unknown = "Unknown"
)

// Reasons of the condition Upgradeable. The operator's are its words
// (openshift/cloud-credential-operator@b187feee66f4, pkg/operator/constants); the design has none.
const (
	reasonAsExpected        = "AsExpected"
	reasonAnnotation        = "MissingUpgradeableAnnotation"
	reasonNotReconciled     = "UpdatesNotReconciled"
	reasonOperatorEnabled   = "OperatorEnabled"
	reasonNotInDump         = "NotInDump"
	reasonDisabledConflicts = "ConfigurationConflict"
)

// ReasonRoot is the operator's word for a missing kube-system/vsphere-creds.
const ReasonRoot = "MissingRootCredential"

// mode is the mode that counts, and conflict whether object and config map contradict each other
// (pkg/operator/utils/utils.go, GetEffectiveOperatorMode).
func (o *Operator) mode() (mode string, conflict bool) {
	if o.Mode == "" && o.Disabled {
		return ModeManual, false
	}
	return o.Mode, o.Disabled && o.Mode != ModeManual
}

// Manual reports whether the cluster is in Manual mode; nil where the dump does not say.
func (o *Operator) Manual() *bool {
	mode, conflict := o.mode()
	if !o.Known || conflict {
		return nil
	}
	manual := mode == ModeManual
	return &manual
}

// UpgradeableByDesign is the operator's condition by the design of 2020 (openshift/enhancements,
// manual-cloud-credentials): False while an available update is not reconciled. An enabled operator
// ignores the list.
func UpgradeableByDesign(c *ClusterVersion, reconciled []Ref, op *Operator) Condition {
	if mode, _ := op.mode(); op.Known && mode != ModeManual {
		return Condition{True, reasonOperatorEnabled, "the operator is not in Manual mode, so it ignores the list"}
	}
	var missing []string
	for _, r := range c.Available() {
		if !slices.Contains(reconciled, r) {
			missing = append(missing, r.Version)
		}
	}
	switch {
	case len(missing) > 0:
		return Condition{False, reasonNotReconciled, "not reconciled: " + strings.Join(missing, ", ")}
	case len(c.Available()) == 0:
		return Condition{True, reasonAsExpected, "no update is available"}
	}
	return Condition{True, reasonAsExpected, "every available update is reconciled"}
}

// UpgradeableByOperator is the operator's actual condition
// (openshift/cloud-credential-operator@b187feee66f4, pkg/operator/utils/utils.go,
// UpgradeableCheck): an annotation with a later minor release than the cluster's allows it; else
// mode Manual is False, and other modes need the root secret. It affects only updates to another
// minor release.
func UpgradeableByOperator(c *ClusterVersion, op *Operator) Condition {
	root := component.RootSecret()
	mode, conflict := op.mode()
	switch {
	case c.Version == "":
		return Condition{True, reasonAsExpected, "no release is completed yet: the operator treats the cluster as being installed"}
	case !op.Known:
		return Condition{Unknown, reasonNotInDump, "not known: CloudCredential " + operatorObject + " is not in the dump, or may not be read"}
	case minorAbove(op.UpgradeableTo, c.Version):
		return Condition{True, reasonAsExpected, fmt.Sprintf("annotation upgradeable-to is %s", op.UpgradeableTo)}
	case conflict:
		return Condition{Unknown, reasonDisabledConflicts, fmt.Sprintf("config map %s has disabled, but CloudCredential %s has mode %s", operatorConfigMap, operatorObject, mode)}
	case mode == ModeManual && op.UpgradeableTo == "":
		return Condition{False, reasonAnnotation, "annotation upgradeable-to is missing"}
	case mode == ModeManual:
		return Condition{False, reasonAnnotation, fmt.Sprintf("annotation upgradeable-to is %s, which is not a minor release above %s", op.UpgradeableTo, c.Version)}
	case op.Root == Present:
		return Condition{True, reasonAsExpected, root.String() + " exists"}
	case op.Root == Absent:
		return Condition{False, ReasonRoot, root.String() + " is missing"}
	}
	return Condition{Unknown, reasonNotInDump, "not known: whether " + root.String() + " exists is not in the dump, or may not be read"}
}

// Minor reports whether an update is to another minor release than the running one.
// Upgradeable=False affects no others (openshift/cluster-version-operator).
func (c *ClusterVersion) Minor(r Ref) bool { return minorAbove(r.Version, c.Running()) }

// UpgradeableTo is the command that annotates cloud-credential-operator as ready for a release. It
// fails like `ccoctl set-upgradeable-to` (openshift/cloud-credential-operator#1105), unless the
// version is newer than the last completed release.
func (c *ClusterVersion) UpgradeableTo(version string) (string, error) {
	if c.Version == "" {
		return "", errors.New("its ClusterVersion has no completed release")
	}
	switch err := CheckVersion(version); {
	case err != nil:
		return "", fmt.Errorf("version %q %w", version, err)
	case !Ref{Version: version}.After(c.Version):
		return "", fmt.Errorf("%s is not newer than %s, which the cluster has completed", version, c.Version)
	}
	return annotate(version), nil
}

// Ready is the newest release of another minor release than the completed one, for
// [ClusterVersion.UpgradeableTo]; "" = none. The operator ignores patch releases.
func (c *ClusterVersion) Ready(reconciled []Ref) string {
	var newest Ref
	for _, r := range reconciled {
		if minorAbove(r.Version, c.Version) && (newest == Ref{} || r.Compare(newest) > 0) {
			newest = r
		}
	}
	return newest.Version
}

// annotate sets the annotation, or removes it with nil. A merge patch keeps the others.
func annotate(version any) string {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{upgradeableKey: version}}})
	if err != nil {
		panic(fmt.Sprintf("release: a map of texts: %v", err)) // which always can be encoded
	}
	return script.Line("oc", "patch", "cloudcredential.operator.openshift.io/"+operatorObject,
		"--type=merge", "--patch", string(patch))
}

// NoUpgradeableTo is the command that removes the annotation of [ClusterVersion.UpgradeableTo].
func NoUpgradeableTo() string { return annotate(nil) }

// Stale is what a cluster still says of releases that are not reconciled, or not any more.
type Stale struct {
	UpgradeableTo bool     // the annotation allows another minor release, of which none is reconciled
	Listed        []string // versions of the operator's config map
}

// StaleIn compares a cluster's records of releases with the reconciled ones. As for the operator,
// an annotation counts by its minor release, if later than the running one.
func StaleIn(c *ClusterVersion, reconciled []Ref, op *Operator) Stale {
	major, minor, _ := minorOf(op.UpgradeableTo)
	s := Stale{UpgradeableTo: minorAbove(op.UpgradeableTo, c.Running()) && !slices.ContainsFunc(reconciled, func(r Ref) bool {
		otherMajor, otherMinor, ok := minorOf(r.Version)
		return ok && otherMajor == major && otherMinor == minor
	})}
	for _, r := range op.Reconciled {
		if !slices.Contains(reconciled, r) {
			s.Listed = append(s.Listed, r.Version)
		}
	}
	return s
}

// ReconciledPatch is the command that writes the list into the operator's config map, as the design
// says. An empty list removes the field.
func ReconciledPatch(reconciled []Ref) string {
	var value any
	var text strings.Builder
	for _, r := range reconciled {
		image := r.Image
		if strings.HasPrefix(image, "[") { // an address, which needs quotes in YAML
			image = `"` + image + `"`
		}
		text.WriteString("- version: " + r.Version + "\n  image: " + image + "\n")
	}
	if text.Len() > 0 {
		value = text.String()
	}
	patch, err := json.Marshal(map[string]any{"data": map[string]any{reconciledKey: value}})
	if err != nil {
		panic(fmt.Sprintf("release: a map of texts: %v", err)) // which always can be encoded
	}
	return script.Line("oc", "patch", "configmap/"+operatorConfigMap, "-n", RequestNamespace,
		"--type=merge", "--patch", string(patch))
}
