package consumers

import "time"

// The secrets that the components read.
const (
	machineSecret    = "openshift-machine-api/vsphere-cloud-credentials"
	csiSecret        = "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials" //nolint:gosec // a name
	controllerSecret = "openshift-cloud-controller-manager/vsphere-cloud-credentials"   //nolint:gosec // a name
	detectorSecret   = "openshift-cluster-storage-operator/vsphere-cloud-credentials"   //nolint:gosec // a name
)

// hold is what a workload keeps.
type hold int

const (
	nothing  hold = iota // it logs in each time, and out again
	sessions             // one for each user name, which it looks at each time
	inPod                // what its secret held when its pod began
	inMemory             // what its secret held when it first looked, until a login is refused
	copied               // a copy of the secret in another namespace
)

// workload is a row of the model: who logs in, what it remembers, its rhythm.
type workload struct {
	name   string
	secret string
	hold   hold
	every  time.Duration // between two looks while all is well
	retry  retry
	logins int  // with the same account at a time, by containers of one pod
	rest   bool // each login is followed by one to the REST API

	tagsEachTime bool
}

// retry is the wait after a failure.
type retry struct {
	first  time.Duration
	factor int
	most   time.Duration
	round  int           // so many failures ...
	apart  time.Duration // ... follow each other so fast; then first, and so on
}

// after is the wait after the nth failure in a row, from 1.
func (r retry) after(n int) time.Duration {
	if r.round > 1 {
		if n%r.round != 0 {
			return r.apart
		}
		n /= r.round
	}
	wait := r.first
	for range n - 1 {
		if wait = min(wait*time.Duration(r.factor), r.most); wait == r.most {
			break
		}
	}
	return wait
}

// controller is how a Kubernetes controller is called again after an error (k8s.io/client-go@v0.36.3,
// util/workqueue/default_rate_limiters.go).
func controller() retry {
	return retry{first: 5 * time.Millisecond, factor: 2, most: 1000 * time.Second}
}

// workloads are the rows. Where a figure says "inferred", no source gives it.
func workloads() []workload {
	return []workload{
		{
			// openshift/machine-api-operator@951196122fe4:pkg/controller/vsphere/session/session.go (GetOrCreate: the key is server,
			// user and datacenter; a session whose SOAP or REST half is gone is replaced), cmd/vsphere/main.go (syncPeriod)
			name: "machine-api-controllers", secret: machineSecret, hold: sessions, every: 10 * time.Minute, retry: controller(), logins: 1, rest: true,
		},
		{
			// openshift/vmware-vsphere-csi-driver@6b18bb29fc45:pkg/common/cns-lib/vsphere/virtualcenter.go (Connect);
			// openshift/vmware-vsphere-csi-driver-operator@030ff0e32620: WithSecretHashAnnotationHook, FULL_SYNC_INTERVAL_MINUTES.
			// Inferred: driver and syncer end when they cannot log in, and the kubelet's back-off (10 s to 5 min) starts them again.
			name: "vmware-vsphere-csi-driver-controller", secret: csiSecret, hold: inPod, every: 30 * time.Minute, logins: 2,
			retry: retry{first: 10 * time.Second, factor: 2, most: 5 * time.Minute},
		},
		{
			// openshift/vmware-vsphere-csi-driver-operator@030ff0e32620:pkg/operator/vclib/connection.go, pkg/operator/starter.go
			// (informers resync after 20 minutes). Inferred: the wait after a failure.
			name: "vmware-vsphere-csi-driver-operator", secret: csiSecret, hold: nothing, every: 20 * time.Minute, logins: 1, rest: true,
			retry: retry{first: time.Minute, factor: 2, most: 20 * time.Minute},
		},
		{
			// openshift/cloud-provider-vsphere@a15538776eb2:pkg/common/connectionmanager (Connect; NumConnectionAttempts 3,
			// RetryAttemptDelaySecs 1), pkg/common/vclib/connection.go; k8s.io/cloud-provider@v0.36.3 (NodeStatusUpdateFrequency)
			name: "vsphere-cloud-controller-manager", secret: controllerSecret, hold: inMemory, every: 5 * time.Minute, logins: 1,
			retry: retry{first: 5 * time.Minute, factor: 1, most: 5 * time.Minute, round: 3, apart: time.Second},
		},
		{
			// openshift/vsphere-problem-detector@b2f09a5b559d:pkg/operator/operator.go (defaultBackoff), vsphere_check.go (newClient)
			name: "vsphere-problem-detector-operator", secret: detectorSecret, hold: nothing, every: time.Hour, logins: 1, rest: true,
			retry: retry{first: time.Minute, factor: 2, most: time.Hour},
		},
		{
			// openshift/machine-config-operator@7ff337a4ffac:pkg/controller/bootimage/platform_helpers.go. Inferred: both rhythms.
			name: "machine-config-controller", secret: root, hold: nothing, every: 10 * time.Minute, retry: controller(), logins: 1,
		},
		{
			// openshift/cluster-capi-operator@141c5fbf64e3:pkg/controllers/infracluster/vsphere.go (ensureVSphereSecret: a secret that
			// exists is never looked at again). Inferred: both rhythms.
			name: "cluster-capi-operator", secret: root, hold: copied, every: 10 * time.Minute, retry: controller(), logins: 1,
		},
	}
}
