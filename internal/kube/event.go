package kube

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// mounted is where Kubernetes mounts the token of a pod's service account.
const mounted = "/var/run/secrets/kubernetes.io/serviceaccount"

// controller is who reports an Event.
const controller = "ocp-vsphere-admin"

// maxNote is how many bytes the API server takes.
const maxNote = 1024

// Event is what a run says of itself in the cluster that it runs in.
type Event struct {
	Warning bool   // else it is normal
	Reason  string // a word in UpperCamelCase that people filter by
	Action  string // what was done, a word in UpperCamelCase
	Note    string // for people, without any secret; cut at 1,024 bytes
}

// Events is where the Events of a pod go: they regard its Job, or the pod itself where it has none.
type Events struct {
	*Cluster
	namespace string
	pod, job  map[string]any // references; job is nil where there is none
}

// OpenEvents connects to nothing yet. The pod's manifest names the pod in variables by the downward
// API: POD_NAMESPACE, POD_NAME, and for `kubectl describe` POD_UID, JOB_NAME and JOB_UID. It logs
// in as the pod's service account, or by KUBECONFIG.
func OpenEvents(getenv func(string) string) (*Events, error) { return openEvents(getenv, mounted) }

func openEvents(getenv func(string) string, mounted string) (*Events, error) {
	e := &Events{namespace: getenv("POD_NAMESPACE")}
	for _, name := range []string{"POD_NAMESPACE", "POD_NAME"} {
		if getenv(name) == "" {
			return nil, hint.Errorf("set it in the pod's manifest: valueFrom, fieldRef, fieldPath",
				"%s is not set", name)
		}
	}
	e.pod = e.reference("v1", "Pod", getenv("POD_NAME"), getenv("POD_UID"))
	if job := getenv("JOB_NAME"); job != "" {
		e.job = e.reference("batch/v1", "Job", job, getenv("JOB_UID"))
	}
	var err error
	if path := getenv("KUBECONFIG"); path != "" {
		e.Cluster, err = Open(path, "")
		return e, err
	}
	host := getenv("KUBERNETES_SERVICE_HOST")
	if host == "" {
		return nil, hint.Errorf("elsewhere, set KUBECONFIG to a kubeconfig file",
			"this is no pod: KUBERNETES_SERVICE_HOST is not set")
	}
	e.Cluster, err = newCluster("the pod's service account", &rest.Config{
		Host:            "https://" + net.JoinHostPort(host, getenv("KUBERNETES_SERVICE_PORT")),
		BearerTokenFile: filepath.Join(mounted, "token"), // read again as it is renewed
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(mounted, "ca.crt")},
	})
	if err != nil {
		return nil, fmt.Errorf("the pod's service account: %w", err)
	}
	return e, nil
}

// reference names an object of the pod's namespace. `kubectl describe` needs the UID.
func (e *Events) reference(version, kind, name, uid string) map[string]any {
	r := map[string]any{"apiVersion": version, "kind": kind, "namespace": e.namespace, "name": name}
	if uid != "" {
		r["uid"] = uid
	}
	return r
}

// Post creates an Event of events.k8s.io/v1, which takes a right in the pod's namespace.
func (e *Events) Post(ctx context.Context, event Event) error {
	object := map[string]any{
		"apiVersion": "events.k8s.io/v1", "kind": "Event",
		"metadata": map[string]any{"namespace": e.namespace, "generateName": controller + "-"},
		// Kubernetes' MicroTime: the API server refuses other fractions.
		"eventTime":           time.Now().UTC().Format(metav1.RFC3339Micro),
		"reportingController": controller, "reportingInstance": e.pod["name"],
		"type": "Normal", "reason": event.Reason, "action": event.Action, "note": cut(event.Note),
		"regarding": e.pod,
	}
	if event.Warning {
		object["type"] = "Warning"
	}
	if e.job != nil {
		object["regarding"], object["related"] = e.job, e.pod
	}
	events := schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	err := e.call(ctx, e.timeout, limitAnswer, func(ctx context.Context) error {
		_, err := e.client.Resource(events).Namespace(e.namespace).Create(ctx,
			&unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
		return err
	})
	switch {
	case IsForbidden(err):
		return hint.Errorf("allow it with a Role: verb create, resource events of the group events.k8s.io",
			"the event was not created: the account may not create events in namespace %s", e.namespace)
	case err != nil:
		return fmt.Errorf("the event was not created: %w", err)
	}
	return nil
}

// cut shortens a note to what the API server takes, between characters.
func cut(note string) string {
	if len(note) <= maxNote {
		return note
	}
	const more = "..."
	end := maxNote - len(more)
	for !utf8.RuneStart(note[end]) {
		end--
	}
	return strings.TrimRight(note[:end], " \n") + more
}
