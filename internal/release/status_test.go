package release

import (
	"strings"
	"testing"
)

// What cloud-credential-operator says of its own work is a finding where it is wrong, and nothing where it is well or not said.
func TestStatusOfTheOperator(t *testing.T) {
	t.Parallel()
	const request = `{apiVersion: cloudcredential.openshift.io/v1, kind: CredentialsRequest, metadata: {namespace: openshift-cloud-credential-operator, name: openshift-machine-api-vsphere},
  spec: {secretRef: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}},
  status: {conditions: [{type: TYPE, status: 'STATUS', reason: Why, message: "two\n words"}]}}`
	const operator = `{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: NAME}, status: {conditions: [{type: TYPE, status: 'STATUS', reason: REASON, message: m}]}}`
	fill := strings.NewReplacer
	for name, tt := range map[string]struct {
		dump, want string
		error      bool
	}{
		"insufficient":     {fill("TYPE", "InsufficientCloudCreds", "STATUS", "True").Replace(request), "request-failing openshift-cloud-credential-operator/openshift-machine-api-vsphere InsufficientCloudCreds=True: Why: two words", true},
		"no namespace":     {fill("TYPE", "MissingTargetNamespace", "STATUS", "True").Replace(request), "MissingTargetNamespace=True", true},
		"provision":        {fill("TYPE", "CredentialsProvisionFailure", "STATUS", "True").Replace(request), "CredentialsProvisionFailure=True", true},
		"deprovision":      {fill("TYPE", "CredentialsDeprovisionFailure", "STATUS", "True").Replace(request), "CredentialsDeprovisionFailure=True", true},
		"stale":            {fill("TYPE", "StaleCredentials", "STATUS", "True").Replace(request), "StaleCredentials=True", true},
		"well again":       {fill("TYPE", "CredentialsProvisionFailure", "STATUS", "False").Replace(request), "", false},
		"another cloud":    {fill("TYPE", "CredentialsProvisionFailure", "STATUS", "True", "VSphereProviderSpec", "AWSProviderSpec").Replace(request), "", false},
		"degraded":         {fill("NAME", "cloud-credential", "TYPE", "Degraded", "STATUS", "True", "REASON", "CredentialsFailing").Replace(operator), "operator-degraded cloud-credential Degraded=True: CredentialsFailing: m", true},
		"not degraded":     {fill("NAME", "cloud-credential", "TYPE", "Degraded", "STATUS", "False", "REASON", "x").Replace(operator), "", false},
		"another operator": {fill("NAME", "storage", "TYPE", "Degraded", "STATUS", "True", "REASON", "x").Replace(operator), "", false},
		"held back":        {fill("NAME", "cloud-credential", "TYPE", "Upgradeable", "STATUS", "False", "REASON", "MissingUpgradeableAnnotation").Replace(operator), "operator-holds cloud-credential Upgradeable=False: MissingUpgradeableAnnotation: m", false},
		"not said":         {fill("NAME", "cloud-credential", "TYPE", "Degraded", "STATUS", "Unknown", "REASON", "x").Replace(operator), "operator-degraded cloud-credential Degraded=Unknown", true},
		"not available":    {fill("NAME", "cloud-credential", "TYPE", "Available", "STATUS", "False", "REASON", "x").Replace(operator), "operator-degraded cloud-credential Available=False", true},
		"available":        {fill("NAME", "cloud-credential", "TYPE", "Available", "STATUS", "True", "REASON", "x").Replace(operator), "", false},
		"labels missing":   {fill("NAME", "cloud-credential", "TYPE", "Progressing", "STATUS", "True", "REASON", "LabelsMissing").Replace(operator), "operator-labels cloud-credential Progressing=True: LabelsMissing: m", false},
		"reconciling":      {fill("NAME", "cloud-credential", "TYPE", "Progressing", "STATUS", "True", "REASON", "Reconciling").Replace(operator), "", false},
		"not served":       {fill("conditions: [{type: TYPE, status: 'STATUS', reason: Why, message: \"two\\n words\"}]", "provisioned: false").Replace(request), "request-failing openshift-cloud-credential-operator/openshift-machine-api-vsphere provisioned=false", true},
		"served":           {fill("conditions: [{type: TYPE, status: 'STATUS', reason: Why, message: \"two\\n words\"}]", "provisioned: true").Replace(request), "", false},
		"upgradeable":      {fill("NAME", "cloud-credential", "TYPE", "Upgradeable", "STATUS", "True", "REASON", "x").Replace(operator), "", false},
	} {
		s, err := ReadStatus("dump", []byte(tt.dump), &Operator{Known: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, f := range s.Findings {
			got += string(f.Code) + " " + f.Subject + " " + f.Text
			if f.Code == "operator-holds" && f.Remedies[0] != "before an upgrade: oc get clusterversion version -o yaml | ocp-vsphere-admin reconcile status --cluster-version -" {
				t.Errorf("%s: %v", name, f.Remedies)
			}
			if f.Advice() == tt.error || len(f.Remedies) == 0 {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// In Manual mode the operator serves no request; where nobody says the mode, it may be so.
func TestRequestsThatNobodyServes(t *testing.T) {
	t.Parallel()
	const request = `{apiVersion: cloudcredential.openshift.io/v1, kind: CredentialsRequest, metadata: {namespace: openshift-cloud-credential-operator, name: openshift-machine-api-vsphere},
  spec: {secretRef: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}}, status: {provisioned: false}}`
	for _, op := range []*Operator{{}, {Known: true, Mode: ModeManual}} {
		if s, err := ReadStatus("dump", []byte(request), op); err != nil || len(s.Findings) > 0 {
			t.Errorf("%+v: %v, %+v", op, err, s)
		}
	}
}
