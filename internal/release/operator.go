package release

import (
	"errors"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// What steers cloud-credential-operator (openshift/cloud-credential-operator@b187feee66f4, pkg/operator/constants): the
// object CloudCredential cluster, an annotation on it, and the config map of earlier releases, which still counts.
const (
	operatorObject      = "cluster"
	upgradeableKey      = "cloudcredential.openshift.io/upgradeable-to"
	operatorConfigMap   = "cloud-credential-operator-config"
	disabledKey         = "disabled"
	reconciledKey       = "reconciledAvailableUpdates"
	operatorDisableFile = "cco-configmap.yaml"
)

// ModeManual is the mode in which cloud-credential-operator makes no credentials.
const ModeManual = "Manual"

// Operator is what a dump says of cloud-credential-operator. What the dump does not hold is not known.
type Operator struct {
	Known         bool   // the dump holds the CloudCredential
	Mode          string // its spec.credentialsMode; "" = the default
	UpgradeableTo string // its annotation; "" = none

	ConfigMap  bool  // the dump holds the operator's config map
	Disabled   bool  // by that config map
	Reconciled []Ref // that config map's list, in which a design of 2020 keeps the releases that are prepared for

	Root Presence // of kube-system/vsphere-creds
}

// Presence says whether something is in a cluster.
type Presence string

// A dump that holds no secret of a namespace does not show whether one is missing there.
const (
	Present  Presence = "present"
	Absent   Presence = "absent"
	NotKnown Presence = "not known"
)

// OperatorConfig is the operator's config map.
func OperatorConfig() component.Ref { return component.At(RequestNamespace, operatorConfigMap) }

// ParseOperator reads a dump of a cluster's objects and keeps what is said of cloud-credential-operator there: the
// CloudCredential, its config map, and whether the root secret exists. Other objects are ignored.
func ParseOperator(name string, data []byte) (*Operator, error) {
	o := newReader(name)
	op := &Operator{Root: NotKnown}
	o.Each(data, func(from objects.Object) {
		switch from.Kind {
		case "CloudCredential":
			o.cloudCredential(from, op)
		case "ConfigMap":
			o.operatorConfig(from, op)
		case "Secret":
			meta := o.Metadata(from)
			switch {
			case component.At(meta.Namespace, meta.Name) == component.RootSecret():
				op.Root = Present
			case meta.Namespace == component.RootSecret().Namespace && op.Root == NotKnown:
				op.Root = Absent // others of this namespace are here
			}
		}
	})
	if err := o.Err(); err != nil {
		return nil, err
	}
	return op, nil
}

func (o reader) cloudCredential(from objects.Object, op *Operator) {
	api, meta := from.Text("apiVersion"), o.Metadata(from)
	switch {
	case api.Bad:
	case api.Value != "operator.openshift.io/v1":
		o.At(api.Place, "is not operator.openshift.io/v1")
	case meta.Name != operatorObject && meta.Name != "":
		o.Report(from.Line, "the operator's CloudCredential is named %s", operatorObject)
	case op.Known:
		o.Report(from.Line, "is a second CloudCredential: a cluster has only one")
	default:
		op.Known, op.UpgradeableTo = true, meta.Annotations[upgradeableKey]
		op.Mode = from.Object.Object("spec").Choice("credentialsMode", "", "Default", ModeManual, "Mint", "Passthrough")
		if op.Mode == "Default" {
			op.Mode = ""
		}
	}
}

// operatorConfig reads the config map. Its list is YAML inside of a text.
func (o reader) operatorConfig(from objects.Object, op *Operator) {
	meta := o.Metadata(from)
	if meta.Namespace != RequestNamespace || meta.Name != operatorConfigMap {
		return
	}
	op.ConfigMap = true
	data := from.Object.Object("data")
	if text := data.Text(disabledKey); text.Value != "" {
		var err error
		if op.Disabled, err = strconv.ParseBool(text.Value); err != nil {
			o.At(text.Place, "is neither true nor false")
		}
	}
	if text := data.Text(reconciledKey); text.Value != "" {
		list, err := parseReconciled([]byte(text.Value))
		if err != nil {
			o.At(text.Place, "is not a list of version and image: %s", firstOf(err))
		}
		op.Reconciled = list
	}
}

// firstOf is the first of several errors that were joined: the line of a file has room for one.
func firstOf(err error) error {
	if all, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}

// parseReconciled reads a list of releases as the operator's config map has it under reconciledAvailableUpdates.
func parseReconciled(data []byte) ([]Ref, error) {
	o := objects.Reader{Reader: yamldoc.New(reconciledKey, yamldoc.Rules{Closed: true, MaxNodes: objects.MaxNodes})}
	var list []Ref
	for _, doc := range o.Documents(append([]byte(reconciledKey+":\n"), data...)) {
		list = append(list, ReadReconciled(o.Reader, o.Object(doc, yamldoc.Place{Line: 1}, reconciledKey))...)
	}
	return list, o.Err()
}

// ReadReconciled reads the field reconciledAvailableUpdates of a mapping: a list of version and image. r reads the file.
func ReadReconciled(r *yamldoc.Reader, from yamldoc.Object) []Ref {
	o := reader{objects.Reader{Reader: r}}
	items, _ := from.List(reconciledKey)
	var list []Ref
	seen := map[Ref]bool{}
	for _, item := range items {
		before := o.Count()
		one := o.release(item.Object("version", "image"), item.Place)
		switch {
		case o.Count() > before:
		case seen[one]:
			o.At(item.Place, "is named twice")
		default:
			seen[one] = true
			list = append(list, one)
		}
	}
	return list
}

// DisableOperator is the file and the config map that take cloud-credential-operator out of work from the beginning. It goes among the
// manifests of openshift-install, where the operator's own bootstrap step looks for it (pkg/cmd/render/render.go,
// isDisabledViaConfigmap) and sets mode Manual: the other way there, credentialsMode of the install-config, is refused by
// openshift-install on vSphere.
func DisableOperator() (file string, m *corev1.ConfigMap) {
	return "manifests/" + operatorDisableFile, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: RequestNamespace, Name: operatorConfigMap},
		Data:       map[string]string{disabledKey: "true"},
	}
}

// IsDisableOperator reports whether text is the config map of [DisableOperator] and nothing else.
func IsDisableOperator(data []byte) bool {
	o := newReader(operatorDisableFile)
	op, count := &Operator{}, 0
	o.Each(data, func(from objects.Object) {
		count++
		if from.Kind == "ConfigMap" {
			o.operatorConfig(from, op)
		}
	})
	return count == 1 && o.Err() == nil && op.ConfigMap && op.Disabled && op.Reconciled == nil
}
