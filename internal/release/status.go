package release

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// reasonLabels is the operator's word for secrets that have its annotation and not its label.
const reasonLabels = "LabelsMissing"

// operatorName is the ClusterOperator of cloud-credential-operator.
const operatorName = "cloud-credential"

// failing are the conditions of a CredentialsRequest that are True where something is wrong
// (openshift/cloud-credential-operator@b187feee66f4, pkg/apis/cloudcredential/v1/types_credentialsrequest.go).
func failing() []string {
	return []string{
		"InsufficientCloudCreds", "MissingTargetNamespace", "CredentialsProvisionFailure", "CredentialsDeprovisionFailure", "StaleCredentials",
	}
}

// Status is what cloud-credential-operator says of its own work, as far as a dump shows it.
type Status struct {
	Requests int  // CredentialsRequests for vSphere in the dump
	Operator bool // the dump holds its ClusterOperator

	Findings []*finding.Finding // conditions that say that something is wrong
}

// ReadStatus reads the conditions of CredentialsRequests for vSphere and of the ClusterOperator from a dump of a cluster's objects.
// Other objects are ignored. A request that is not served is one only where the operator, in another mode than Manual, serves any.
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
			if served := status.Maybe("provisioned"); served != nil && !*served && manual != nil && !*manual && len(s.Findings) == before {
				s.add(finding.RequestFailing, request.String(), "provisioned", Condition{Status: "false"}).Remedies = Look(request.Name)
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

// Look are the commands that show why cloud-credential-operator does not serve a request, or, without one, what it says of itself.
func Look(request string) []string {
	status := script.Line("oc", "get", "clusteroperator", operatorName, "-o", "yaml")
	if request != "" {
		status = script.Line("oc", "get", "credentialsrequest", "-n", RequestNamespace, request, "-o", "yaml")
	}
	return []string{
		status,
		script.Line("oc", "logs", "-n", RequestNamespace, "deployment/cloud-credential-operator", "-c", "cloud-credential-operator", "--tail=100"),
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
