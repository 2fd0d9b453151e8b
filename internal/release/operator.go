package release

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// Settings of cloud-credential-operator (openshift/cloud-credential-operator@b187feee66f4,
// pkg/operator/constants): the CloudCredential cluster, its annotation, and the config map of
// earlier releases, which still counts.
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

// Operator is what a dump says of cloud-credential-operator; what it lacks is unknown.
type Operator struct {
	Known         bool   // the dump holds the CloudCredential
	Mode          string // its spec.credentialsMode; "" = the default
	UpgradeableTo string // its annotation; "" = none

	ConfigMap  bool  // the dump holds the operator's config map
	Disabled   bool  // by that config map
	Reconciled []Ref // the config map's list by a design of 2020

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

// ParseOperator reads the CloudCredential, its config map, and whether the root secret exists from
// a dump. It ignores other objects.
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
		op.Mode = from.Object.Object("spec").Choice("credentialsMode", "", "Default", ModeManual, "Mint",
			"Passthrough")
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

// parseReconciled reads releases under reconciledAvailableUpdates of the operator's config map.
func parseReconciled(data []byte) ([]Ref, error) {
	o := objects.Reader{Reader: yamldoc.New(reconciledKey, yamldoc.Rules{Closed: true, MaxNodes: objects.MaxNodes})}
	var list []Ref
	for _, doc := range o.Documents(append([]byte(reconciledKey+":\n"), data...)) {
		list = append(list, ReadReconciled(o.Reader, o.Object(doc, yamldoc.Place{Line: 1}, reconciledKey))...)
	}
	return list, o.Err()
}

// ReadReconciled reads the field reconciledAvailableUpdates: a list of version and image, with r.
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

// DisableOperator is the file and config map that disable cloud-credential-operator from the start.
// It goes among openshift-install's manifests, where the operator's bootstrap step finds it
// (pkg/cmd/render/render.go, isDisabledViaConfigmap) and sets mode Manual. openshift-install
// refuses the alternative, credentialsMode, on vSphere.
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

// reasonLabels is the operator's word for secrets that have its annotation and not its label.
const reasonLabels = "LabelsMissing"

// operatorName is the ClusterOperator of cloud-credential-operator.
const operatorName = "cloud-credential"

// failing are the conditions of a CredentialsRequest that are True on errors
// (openshift/cloud-credential-operator@b187feee66f4,
// pkg/apis/cloudcredential/v1/types_credentialsrequest.go).
func failing() []string {
	return []string{
		"InsufficientCloudCreds", "MissingTargetNamespace", "CredentialsProvisionFailure",
		"CredentialsDeprovisionFailure", "StaleCredentials",
	}
}

// Status is what cloud-credential-operator says of its own work, as far as a dump shows it.
type Status struct {
	Requests int  // CredentialsRequests for vSphere in the dump
	Operator bool // the dump holds its ClusterOperator

	Findings []*finding.Finding // conditions that say that something is wrong
}

// ReadStatus reads conditions of CredentialsRequests for vSphere and of the ClusterOperator from a
// dump, ignoring other objects. A request without service counts only if the operator serves any,
// in another mode than Manual.
func ReadStatus(name string, data []byte, op *Operator) (*Status, error) {
	o, s := newReader(name), &Status{}
	o.Each(data, func(from objects.Object) {
		status := from.Object.Object("status")
		switch from.Kind {
		case "CredentialsRequest":
			request, _, provider, ok := o.request(from)
			if !ok || provider != providerKind {
				return
			}
			s.Requests++
			before, manual := len(s.Findings), op.Manual()
			for _, kind := range failing() {
				if c := o.condition(status, kind); c != nil && c.Status == True {
					s.add(finding.RequestFailing, request.String(), kind, *c).Remedies = Look(request.Name)
				}
			}
			if served := status.Maybe("provisioned"); served != nil && !*served && manual != nil &&
				!*manual && len(s.Findings) == before {
				s.add(finding.RequestFailing, request.String(), "provisioned",
					Condition{Status: "false"}).Remedies = Look(request.Name)
			}
		case "ClusterOperator":
			if o.Metadata(from).Name != operatorName {
				return
			}
			s.Operator = true
			if c := o.condition(status, "Degraded"); c != nil && c.Status != False {
				s.add(finding.OperatorDegraded, operatorName, "Degraded", *c).Remedies = Look("")
			}
			if c := o.condition(status, "Available"); c != nil && c.Status != True {
				s.add(finding.OperatorDegraded, operatorName, "Available", *c).Remedies = Look("")
			}
			if c := o.condition(status, "Progressing"); c != nil && c.Status == True && c.Reason == reasonLabels {
				s.add(finding.OperatorLabels, operatorName, "Progressing", *c).Remedies = Look("")
			}
			if c := o.condition(status, "Upgradeable"); c != nil && c.Status == False {
				f := s.add(finding.OperatorHolds, operatorName, "Upgradeable", *c)
				if f.Remedies = Look(""); c.Reason == reasonAnnotation {
					f.Remedies = []string{"before an upgrade: oc get clusterversion version -o yaml | ocp-vsphere-admin reconcile status --cluster-version -"}
				}
			}
		}
	})
	if err := o.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Status) add(code finding.Code, subject, kind string, c Condition) *finding.Finding {
	text := kind + "=" + c.Status
	if why := joined(c.Reason, c.Message); why != "" {
		text += ": " + strings.Join(strings.Fields(why), " ")
	}
	f := finding.New(code, subject, "%s", text)
	s.Findings = append(s.Findings, f)
	return f
}

// Look are commands that show why cloud-credential-operator does not serve a request, or its state.
func Look(request string) []string {
	status := script.Line("oc", "get", "clusteroperator", operatorName, "-o", "yaml")
	if request != "" {
		status = script.Line("oc", "get", "credentialsrequest", "-n", RequestNamespace, request, "-o", "yaml")
	}
	return []string{
		status,
		script.Line("oc", "logs", "-n", RequestNamespace, "deployment/cloud-credential-operator", "-c",
			"cloud-credential-operator", "--tail=100"),
	}
}

// FailingOf are the findings about requests of a component.
func (s *Status) FailingOf(c component.Name) []*finding.Finding {
	return slices.DeleteFunc(slices.Clone(s.Findings), func(f *finding.Finding) bool {
		_, name, _ := strings.Cut(f.Subject, "/")
		known, ok := ConsumerNamed(name)
		return f.Code != finding.RequestFailing || !ok || known.Component != c
	})
}
