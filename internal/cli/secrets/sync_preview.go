package secrets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// objectOf is a manifest as applied: the fields that it sets, and no other.
func objectOf(m *openshift.Manifest) (*unstructured.Unstructured, error) {
	var of any = m.Secret
	if m.Role != nil {
		of = m.Role
	}
	data, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "creationTimestamp")
	return object, nil
}

// previewOne asks the cluster for the outcome of a manifest. A secret must be what the guards saw.
func (o *SyncOptions) previewOne(ctx context.Context, e *emission, m *openshift.Manifest) (syncedObject, error) {
	object, err := objectOf(m)
	if err != nil {
		return syncedObject{}, fmt.Errorf("%s: %w", m.File, err)
	}
	s := syncedObject{
		Kind: object.GetKind(), Name: object.GetNamespace() + "/" + object.GetName(), Change: cluster.ChangeNew,
		VCenters: []cluster.VCenterChange{}, From: []string{}, Kept: []string{}, object: object,
	}
	applied, err := e.cluster.Asked.Preview(ctx, object, false)
	if conflict, ok := errors.AsType[*kube.ConflictError](err); ok && o.Force {
		s.From = conflict.Fields
		applied, err = e.cluster.Asked.Preview(ctx, object, true)
	}
	if err != nil {
		return s, err
	}
	switch {
	case applied.Before == nil:
	case !applied.Same():
		s.Change = cluster.ChangeSecret
	case !applied.Managed():
		s.Change = changeManaged
	default:
		s.Change = cluster.ChangeNone
	}
	if m.Secret == nil {
		return s, nil
	}
	before, err := secretOf(applied.Before)
	after, afterErr := secretOf(applied.After)
	if err := errors.Join(err, afterErr); err != nil {
		return s, fmt.Errorf("%s: %w", s.Name, err)
	}
	for _, key := range slices.Sorted(maps.Keys(after.Data)) {
		if _, ours := m.Secret.Data[key]; !ours {
			s.Kept = append(s.Kept, key)
		}
	}
	if !e.saw(before, s.Name) {
		return s, hint.Errorf("run the same command again", "%s was changed since it was compared", s.Name)
	}
	s.VCenters = cluster.ChangeOf(e.cluster.Object(component.At(after.Namespace, after.Name)), after).VCenters
	return s, nil
}

// secretOf is a Secret of the API server; nil for nil.
func secretOf(object *unstructured.Unstructured) (*corev1.Secret, error) {
	if object == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	s := &corev1.Secret{}
	return s, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, s)
}

// saw reports whether a secret still has the compared values; now nil = it is missing.
func (e *emission) saw(now *corev1.Secret, name string) bool {
	namespace, own, _ := strings.Cut(name, "/")
	s := e.cluster.Object(component.At(namespace, own))
	if s == nil || now == nil {
		return s == nil && now == nil
	}
	return maps.EqualFunc(s.Data, now.Data, bytes.Equal) &&
		maps.Equal(s.Labels, now.Labels) && maps.Equal(s.Annotations, now.Annotations)
}

// upgradeable prints how a cluster in Manual mode is told that it may upgrade, or what prints that:
// the completed release must be known and a later one recorded as reconciled.
func (o *EmitOptions) upgradeable(ctx context.Context, e *emission) {
	o.Infof("in Manual mode an upgrade to a new minor release waits until its secrets exist and you confirm it")
	status := "reconcile status"
	if !o.Against.Cluster.Given() {
		o.Infof("which release the cluster has completed is not known here; this prints the command, with the version:")
		o.Next("oc get clusterversion version -o yaml | " + o.CommandLine(status, o.Source.OfFile(o.Said),
			"--cluster-version", "-"))
		return
	}
	line := ""
	cv, err := o.ClusterVersion(ctx, "", o.Against.Cluster)
	if err == nil {
		var recorded []release.Ref
		if e.asked != nil {
			recorded = e.asked.ReconciledUpdates
		}
		if ready := cv.Ready(recorded); ready != "" || cv.Version == "" {
			line, err = cv.UpgradeableTo(ready)
		}
	}
	switch {
	case err != nil:
		o.Infof("which release the cluster has completed is not known (%v); this prints the command, with the version:", err)
	case line == "":
		o.Infof("no new minor release after %s, which the cluster has completed, is recorded as reconciled; this says which ones are available:", cv.Version)
	default:
		o.Infof("once these secrets are applied, for the newest release that is recorded as reconciled:")
		o.Next(line)
		return
	}
	o.Next(o.CommandLine(status, o.Source.OfFile(o.Said), o.Against.Cluster.Words()...))
}
