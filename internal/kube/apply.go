package kube

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// FieldManager is who owns the fields that are applied.
const FieldManager = controller

// Applied is an object before and after it was applied.
type Applied struct {
	Before *unstructured.Unstructured // nil = there was none
	After  *unstructured.Unstructured
}

// Same reports whether nothing changes but who owns fields.
func (a *Applied) Same() bool {
	return a.Before != nil && reflect.DeepEqual(values(a.Before), values(a.After))
}

// Managed reports whether the fields of the object were applied by this tool before.
func (a *Applied) Managed() bool {
	return a.Before != nil && slices.ContainsFunc(a.Before.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager == FieldManager && m.Operation == metav1.ManagedFieldsOperationApply
	})
}

// values are an object without what the API server adds to it.
func values(o *unstructured.Unstructured) map[string]any {
	all := o.DeepCopy()
	for _, name := range []string{"managedFields", "resourceVersion", "creationTimestamp", "uid"} {
		unstructured.RemoveNestedField(all.Object, "metadata", name)
	}
	return all.Object
}

// ApplyOptions say how an object is applied.
type ApplyOptions struct {
	DryRun bool // the API server checks everything, conflicts and rights too, and stores nothing
	Force  bool // fields of other managers are taken over
}

// ConflictError says that another manager owns fields with other values.
type ConflictError struct {
	Object string
	Fields []string // "kubectl-client-side-apply: .data.vcenter1.example.com.password", without values
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: fields of another manager differ: %s", e.Object, strings.Join(e.Fields, ", "))
}

// Preview is Apply as a dry run. It sets object's version to that read, so that the server refuses
// an apply to a changed object.
func (c *Cluster) Preview(ctx context.Context, object *unstructured.Unstructured, force bool) (*Applied, error) {
	var before *unstructured.Unstructured
	err := c.at(ctx, object, func(ctx context.Context, at dynamic.ResourceInterface) (err error) {
		before, err = at.Get(ctx, object.GetName(), metav1.GetOptions{})
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		before = nil
	case err != nil:
		return nil, c.notApplied(object, "get", err)
	default:
		c.hidden.Learn(valuesOf(before)...)
		object.SetResourceVersion(before.GetResourceVersion())
	}
	after, err := c.Apply(ctx, object, ApplyOptions{DryRun: true, Force: force})
	return &Applied{before, after}, err
}

// Apply applies an object on the server as our field manager: fields that we applied before and no
// longer give are removed, others' stay. Another manager's different value is a [ConflictError],
// unless forced. No error holds a value of the object.
func (c *Cluster) Apply(ctx context.Context, object *unstructured.Unstructured, o ApplyOptions) (*unstructured.Unstructured, error) {
	options := metav1.ApplyOptions{FieldManager: FieldManager, Force: o.Force}
	if o.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	c.hidden.Learn(valuesOf(object)...)
	var after *unstructured.Unstructured
	err := c.at(ctx, object, func(ctx context.Context, at dynamic.ResourceInterface) (err error) {
		after, err = at.Apply(ctx, object.GetName(), object, options)
		return err
	})
	if err != nil {
		return nil, c.notApplied(object, "patch", err)
	}
	return after, nil
}

var errKind = errors.New("only secrets and roles can be applied")

// at has an operation do something where an object is applied.
func (c *Cluster) at(ctx context.Context, object *unstructured.Unstructured,
	operation func(context.Context, dynamic.ResourceInterface) error,
) error {
	at, known := applied[object.GroupVersionKind()]
	if !known {
		return errKind
	}
	return c.call(ctx, c.timeout, limitAnswer, func(ctx context.Context) error {
		return operation(ctx, c.client.Resource(at).Namespace(object.GetNamespace()))
	})
}

// notApplied says why an object was not applied, without a value of it.
func (c *Cluster) notApplied(object *unstructured.Unstructured, verb string, err error) error {
	name := fmt.Sprintf("%s %s/%s", strings.ToLower(object.GetKind()), object.GetNamespace(), object.GetName())
	var status apierrors.APIStatus
	switch {
	case errors.Is(err, errKind):
		return fmt.Errorf("%s/%s is a %s of %s: %w", object.GetNamespace(), object.GetName(),
			object.GetKind(), object.GetAPIVersion(), err)
	case !errors.As(err, &status):
		return fmt.Errorf("%s: %s: %w", c.config.Host, name, err)
	case apierrors.IsUnauthorized(err):
		return c.refused(err)
	case apierrors.IsForbidden(err) && !strings.Contains(err.Error(), "admission"):
		if strings.Contains(err.Error(), "cannot create") {
			verb = "create"
		}
		return hint.Errorf(fmt.Sprintf("check the right with 'oc auth can-i %s %ss/%s -n %s'", verb,
			strings.ToLower(object.GetKind()), object.GetName(), object.GetNamespace()),
			"%s: %s: %s may not %s it", c.config.Host, name, c.from, verb)
	}
	details := status.Status().Details
	var fields []string
	if details != nil {
		for _, cause := range details.Causes {
			if cause.Type == metav1.CauseTypeFieldManagerConflict {
				_, manager, _ := strings.Cut(cause.Message, `"`)
				manager, _, _ = strings.Cut(manager, `"`)
				fields = append(fields, c.hidden.Text(manager+": "+cause.Field))
			}
		}
	}
	switch {
	case fields != nil:
		return &ConflictError{name, fields}
	case apierrors.IsConflict(err):
		return hint.Errorf("run the same command again", "%s: %s was changed since it was read",
			c.config.Host, name)
	}
	return fmt.Errorf("%s: %s: %w", c.config.Host, name, err)
}

// passwordLine is a password in a file that is a value.
var passwordLine = pattern.Of(`(?i)password["']?[ \t]*[:=][ \t]*("[^"\n]*"|'[^'\n]*'|[^\s"']+)`)

// valuesOf are the values in an object's data, and passwords in files there, to hide in errors.
func valuesOf(object *unstructured.Unstructured) (all []string) {
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	text, _, _ := unstructured.NestedStringMap(object.Object, "stringData")
	for _, value := range data {
		plain, _ := base64.StdEncoding.DecodeString(value)
		all = append(all, string(plain))
	}
	all = slices.AppendSeq(all, maps.Values(text))
	for _, value := range slices.Clone(all) {
		for _, m := range passwordLine().FindAllStringSubmatch(value, -1) {
			all = append(all, strings.Trim(m[1], `"'`))
		}
	}
	return all
}
