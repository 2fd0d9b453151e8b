package openshift

import (
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Hold is what a reader of a secret keeps of the account that it read.
type Hold int

// The ways to hold an account.
const (
	HoldsNothing Hold = iota // logs in each time, with what its secret holds then
	HoldsSession             // one session per user; logs in again with its secret
	HoldsPod                 // what its secret held when its pod began
	HoldsMemory              // secret of its first login; reread after a refusal
	HoldsCopy                // a copy of the secret, made once
)

// Reader is a workload of the cluster that logs in to vCenter, and how it learns of another account
// or password. Inferred names the figures without a source.
type Reader struct {
	Name      string         // of the workload
	Component component.Name // whose account it works with
	Secret    component.Ref  // where it reads; a release may copy from kube-system
	Hold      Hold

	Every time.Duration // how often it works on vCenter when nothing happens
	Retry Retry         // its refused logins

	// Account and Password are its reactions to another account or another password in its secret.
	Account, Password Takeover
	Restart           string // the command after which it logs in with what its secret holds
	Source            string // repository@commit:file
	Inferred          string // "" = the source says it all
}

// Takeover is how a reader comes to use what its secret holds now.
type Takeover struct {
	Does    string // a clause whose subject is the reader
	Restart bool   // it does not let go of the old by itself, or not soon
}

// Retry is the rhythm of a refused reader's logins: rounds of logins, with growing waits.
type Retry struct {
	Logins int           // in a round; at least 1
	Apart  time.Duration // between two pairs of logins of a round
	Pairs  bool          // two logins at once: with what it knew, and with what it read again
	Wait   time.Duration // after the first round
	Factor int           // of each further wait; at least 1
	Cap    time.Duration // of the wait; 0 = Wait
}

// controllerRetry is how a failed controller is called again (k8s.io/client-go@v0.36.3,
// util/workqueue/default_rate_limiters.go).
func controllerRetry() Retry {
	return Retry{Logins: 1, Wait: 5 * time.Millisecond, Factor: 2, Cap: 1000 * time.Second}
}

// Readers are the workloads that log in with our accounts, by component. The last two read
// kube-system/vsphere-creds directly, with machine-api's account or machine-config's.
func Readers() []Reader {
	machine := SecretOf(component.MachineAPI)
	csi := SecretOf(component.CSIDriver)
	each := Takeover{Does: "reads its secret before each login"}
	const mco = "machine-config-controller" // of the two generations of its operator
	return []Reader{
		{
			Name: "machine-api-controllers", Component: component.MachineAPI, Secret: machine, Hold: HoldsSession,
			Every: 10 * time.Minute, Retry: controllerRetry(),
			Account:  Takeover{Does: "logs in with the new account when it next reconciles a machine"},
			Password: Takeover{Does: "uses the old password until its session ends; earlier releases also log in with it for tags", Restart: true},
			Restart:  "oc rollout restart deployment/machine-api-controllers -n openshift-machine-api",
			Source:   "openshift/machine-api-operator@951196122fe4:pkg/controller/vsphere/session/session.go, cmd/vsphere/main.go",
		},
		{
			Name: "vmware-vsphere-csi-driver-controller", Component: component.CSIDriver, Secret: csi, Hold: HoldsPod,
			Every: 30 * time.Minute, Retry: Retry{Logins: 2, Wait: 10 * time.Second, Factor: 2, Cap: 5 * time.Minute},
			Account:  Takeover{Does: "is restarted by its operator when its secret changes"},
			Password: Takeover{Does: "is restarted by its operator when its secret changes"},
			Restart:  "oc rollout restart deployment/vmware-vsphere-csi-driver-controller -n openshift-cluster-csi-drivers",
			Source:   "openshift/vmware-vsphere-csi-driver-operator@030ff0e32620:pkg/operator/vspherecontroller/driver_starter.go (WithSecretHashAnnotationHook), assets/controller.yaml (FULL_SYNC_INTERVAL_MINUTES)",
			Inferred: "its two containers exit when a login is refused, and the kubelet restarts them with back-off",
		},
		{
			Name: "vmware-vsphere-csi-driver-operator", Component: component.CSIDriver, Secret: csi, Hold: HoldsNothing,
			Every: 20 * time.Minute, Retry: Retry{Logins: 1, Wait: time.Minute, Factor: 2, Cap: 20 * time.Minute},
			Account: each, Password: each,
			Restart:  "oc rollout restart deployment/vmware-vsphere-csi-driver-operator -n openshift-cluster-csi-drivers",
			Source:   "openshift/vmware-vsphere-csi-driver-operator@030ff0e32620:pkg/operator/vclib/connection.go, pkg/operator/starter.go",
			Inferred: "the wait after a refused login",
		},
		{
			Name: "vsphere-cloud-controller-manager", Component: component.CloudController, Secret: SecretOf(component.CloudController), Hold: HoldsMemory,
			Every: 5 * time.Minute, Retry: Retry{Logins: 6, Apart: time.Second, Pairs: true, Wait: 5 * time.Minute, Factor: 1},
			Account:  Takeover{Does: "reads its secret again only after a refused login", Restart: true},
			Password: Takeover{Does: "reads its secret again only after a refused login", Restart: true},
			Restart:  "oc rollout restart deployment/vsphere-cloud-controller-manager -n openshift-cloud-controller-manager",
			Source:   "openshift/cloud-provider-vsphere@a15538776eb2:pkg/common/connectionmanager (Connect, NumConnectionAttempts, RetryAttemptDelaySecs), pkg/common/vclib/connection.go; k8s.io/cloud-provider@v0.36.3:config/v1alpha1/defaults.go",
		},
		{
			Name: "vsphere-problem-detector-operator", Component: component.Diagnostics, Secret: SecretOf(component.Diagnostics), Hold: HoldsNothing,
			Every: time.Hour, Retry: Retry{Logins: 1, Wait: time.Minute, Factor: 2, Cap: time.Hour},
			Account: each, Password: each,
			Restart: "oc rollout restart deployment/vsphere-problem-detector-operator -n openshift-cluster-storage-operator",
			Source:  "openshift/vsphere-problem-detector@b2f09a5b559d:pkg/operator/operator.go (defaultBackoff), pkg/operator/vsphere_check.go",
		},
		{
			Name: "capv-controller-manager", Component: component.ClusterAPI, Secret: SecretOf(component.ClusterAPI), Hold: HoldsPod,
			Every: 10 * time.Minute, Retry: controllerRetry(),
			Account:  Takeover{Does: "keeps the account that was in its secret when it started", Restart: true},
			Password: Takeover{Does: "keeps the password that was in its secret when it started", Restart: true},
			Restart:  "oc rollout restart deployment/capv-controller-manager -n openshift-cluster-api",
			Source:   "kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52:pkg/manager/manager.go, main.go, pkg/session/session.go; openshift/cluster-capi-operator@409c6b44c81b",
			Inferred: "it reads its secret only at start; it reads identities of clusters again after at most ten minutes",
		},
		{
			Name: mco, Component: component.MachineConfig,
			Secret: SecretOf(component.MachineConfig), Hold: HoldsNothing,
			Every: 10 * time.Minute, Retry: controllerRetry(),
			Account: each, Password: each,
			Restart:  "oc rollout restart deployment/" + mco + " -n openshift-machine-config-operator",
			Source:   "openshift/machine-config-operator@621c7fedf1d3, which reads no other secret",
			Inferred: "its interval and its wait after a refused login",
		},
		{
			Name: mco, Component: component.MachineAPI, Secret: root, Hold: HoldsNothing,
			Every: 10 * time.Minute, Retry: controllerRetry(),
			Account: each, Password: each,
			Restart:  "oc rollout restart deployment/" + mco + " -n openshift-machine-config-operator",
			Source:   "openshift/machine-config-operator@7ff337a4ffac:pkg/controller/bootimage/platform_helpers.go",
			Inferred: "its interval and its wait after a refused login",
		},
		{
			Name: "cluster-capi-operator", Component: component.MachineAPI, Secret: root, Hold: HoldsCopy,
			Every: 10 * time.Minute, Retry: controllerRetry(),
			Account:  Takeover{Does: "copied the account of the first vCenter to openshift-cluster-api and never reads its secret again", Restart: true},
			Password: Takeover{Does: "copied the account of the first vCenter to openshift-cluster-api and never reads its secret again", Restart: true},
			Restart:  `oc delete secret -n openshift-cluster-api "$(oc get infrastructure cluster -o jsonpath='{.status.infrastructureName}')"`,
			Source:   "openshift/cluster-capi-operator@141c5fbf64e3:pkg/controllers/infracluster/vsphere.go (ensureVSphereSecret)",
			Inferred: "its interval and its wait after a refused login; it runs if the cluster has Cluster API",
		},
	}
}

// homeReaders are those of the secrets of Kubernetes without OpenShift.
func homeReaders() []Reader {
	rereads := Takeover{Does: "reads its configuration again when the kubelet renews the file, within some two minutes"}
	refused := Takeover{Does: "reads its secret again only after a refused login", Restart: true}
	return []Reader{
		{
			Name: "vsphere-csi-controller", Component: component.CSIDriver, Secret: homes()[component.CSIDriver], Hold: HoldsSession,
			Every: 30 * time.Minute, Retry: Retry{Logins: 2, Wait: 10 * time.Second, Factor: 2, Cap: 5 * time.Minute},
			Account: rereads, Password: rereads,
			Restart:  "kubectl rollout restart deployment/vsphere-csi-controller -n vmware-system-csi",
			Source:   "kubernetes-sigs/vsphere-csi-driver@bf8090256717:pkg/csi/service/vanilla/controller.go, pkg/syncer/metadatasyncer.go (ReloadConfiguration), manifests/vanilla (FULL_SYNC_INTERVAL_MINUTES)",
			Inferred: "its two containers exit when a login is refused at start, and the kubelet restarts them with back-off",
		},
		{
			Name: "vsphere-cloud-controller-manager", Component: component.CloudController, Secret: homes()[component.CloudController], Hold: HoldsMemory,
			Every: 5 * time.Minute, Retry: Retry{Logins: 6, Apart: time.Second, Pairs: true, Wait: 5 * time.Minute, Factor: 1},
			Account: refused, Password: refused,
			Restart: "kubectl rollout restart daemonset/vsphere-cloud-controller-manager -n kube-system",
			Source:  "kubernetes/cloud-provider-vsphere@60f6c5dfe164:pkg/common/connectionmanager (Connect), pkg/common/credentialmanager, releases/v1.35",
		},
	}
}

// Readers are those who work with the accounts of some components in a profile.
func (p Profile) Readers(components []component.Name) []Reader {
	all := Readers()
	if p.Homes != nil {
		all = homeReaders()
	}
	return slices.DeleteFunc(all,
		func(r Reader) bool { return !slices.Contains(components, p.AccountOf(r.Component)) })
}

// Root reports whether it reads kube-system/vsphere-creds.
func (r Reader) Root() bool { return r.Secret == root }

// SecretOf is the secret that a component reads in the cluster, which has one.
func SecretOf(c component.Name) component.Ref {
	row, _ := component.Find(c)
	return row.InCluster.Request.Target
}

// Refusals are the times of a reader's logins from the first refused one on, while all are refused:
// at most so many before the given time.
func (r Retry) Refusals(before time.Duration, most int) []time.Duration {
	var times []time.Duration
	at, wait := time.Duration(0), r.Wait
	for len(times) < most {
		offset := time.Duration(0)
		for i := range r.Logins {
			if i > 0 && (!r.Pairs || i%2 == 0) {
				offset += r.Apart
			}
			if at+offset >= before || len(times) == most {
				return times
			}
			times = append(times, at+offset)
		}
		at += offset + wait
		wait *= time.Duration(r.Factor)
		if r.Cap > 0 {
			wait = min(wait, r.Cap)
		}
	}
	return times
}

// Locks tells after how long, from its first refused login, a reader alone locks an account with
// this many failed logins within a time. The time begins with the first failure, and again with the
// first one after it (as in SSO). false = never; maxFailed 0 means no lock.
func (r Retry) Locks(maxFailed int, within time.Duration) (time.Duration, bool) {
	if maxFailed <= 0 {
		return 0, false
	}
	// A reader whose waits have grown to their cap goes on as it is: a day shows what it comes to.
	var first time.Duration
	failures := 0
	for _, at := range r.Refusals(24*time.Hour, 1000+maxFailed) {
		if failures == 0 || at-first > within {
			first, failures = at, 0
		}
		if failures++; failures >= maxFailed {
			return at, true
		}
	}
	return 0, false
}

// DriverConfig is the secret that the CSI driver's operator writes from its own, while it is
// managed and its checks pass (openshift/vmware-vsphere-csi-driver-operator@030ff0e32620,
// pkg/operator/vspherecontroller).
func DriverConfig() component.Ref {
	return component.At("openshift-cluster-csi-drivers", "vsphere-csi-config-secret")
}

// What prints a cluster's secrets and identity for proofs, in OpenShift; see [Prints].
const (
	PrintsCluster = "oc get secrets,infrastructures -A -o yaml"
	FromCluster   = PrintsCluster + " | "
	everywhere    = "oc get secrets,infrastructures,namespaces -A -o yaml" // also shows that a namespace does not exist
	plain         = "kubectl get secrets,namespaces -A -o yaml"
)

// Prints is the command that prints a cluster of a profile for proofs, or it and its namespaces.
func Prints(profile string, namespaces bool) string {
	switch p, _ := FindProfile(profile); {
	case p.Homes != nil:
		return plain
	case namespaces:
		return everywhere
	}
	return PrintsCluster
}

// From pipes what [Prints] prints.
func From(profile string) string { return Prints(profile, false) + " | " }

// Client is the program that people change a cluster of a profile with.
func Client(profile string) string {
	if p, _ := FindProfile(profile); p.Homes != nil {
		return "kubectl"
	}
	return "oc"
}

// Applies applies the output of a command to the cluster of a profile.
func Applies(profile string) string { return " | " + Client(profile) + " apply -f -" }
