package release

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// providerKind is what a request for vSphere says of itself.
const providerKind = "VSphereProviderSpec"

// The annotations by which a release says when a request counts.
const (
	deleteAnnotation      = "release.openshift.io/delete"
	featureSetAnnotation  = "release.openshift.io/feature-set"
	featureGateAnnotation = "release.openshift.io/feature-gate"
	techPreview           = "TechPreviewNoUpgrade"
)

// Request is a CredentialsRequest of a release: who wants an account, and where.
type Request struct {
	component.Ref
	File        string         // "" = of the table that we bring
	SecretRef   component.Ref  // the secret that the requester reads
	FeatureSet  string         // "" = always
	FeatureGate string         // "" = always; ccoctl does not look at it
	Component   component.Name // whose account it gets; "" = not known

	Privileges      []string // of spec.providerSpec.permissions, sorted; still always empty
	ServiceAccounts []string // of spec.serviceAccountNames, sorted
}

// Skipped is a request that ccoctl passes over, and why.
type Skipped struct {
	Request
	Reason  string
	Deleted bool // marked for deletion in the cluster; else it belongs to a feature set
}

// Requests are the CredentialsRequests of a release for vSphere.
type Requests struct {
	Dir     string // or the name of a dump
	List    []Request
	Skipped []Skipped
	Others  map[string]int // other kinds and provider kinds, with their numbers

	unassigned map[string]bool // requests that must not be served
}

// ReadRequests reads a directory of `oc adm release extract --credentials-requests` as ccoctl does
// (openshift/cloud-credential-operator@b187feee66f4, pkg/cmd/provisioning): its files *.yaml and
// *.yml, no subdirectories. It skips requests marked for deletion and those of a feature set,
// except TechPreviewNoUpgrade with preview, and counts other kinds and clouds. Each file that does
// not parse is an error; others are still read.
func ReadRequests(dir string, preview bool) (*Requests, error) {
	return ReadRequestsAs(dir, dir, preview)
}

// ReadRequestsAs is ReadRequests of a directory that people know by another name.
func ReadRequestsAs(name, dir string, preview bool) (*Requests, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	r := &Requests{Dir: name, Others: map[string]int{}}
	var errs []error
	seen := map[component.Ref]Request{}
	for _, e := range entries {
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(e.Name())) {
			continue
		}
		data, err := files.Read(filepath.Join(dir, e.Name()), files.Text, files.Regular)
		if err == nil {
			err = r.parse(filepath.Join(name, e.Name()), data, preview, seen)
		}
		errs = append(errs, err)
	}
	if err := cmp.Or(errors.Join(errs...), r.found()); err != nil {
		return nil, err
	}
	return r, nil
}

// ParseRequests is ReadRequests of a dump of a cluster's CredentialsRequests; name is its source.
func ParseRequests(name string, data []byte, preview bool) (*Requests, error) {
	r := &Requests{Dir: name, Others: map[string]int{}}
	if err := cmp.Or(r.parse(name, data, preview, map[component.Ref]Request{}), r.found()); err != nil {
		return nil, err
	}
	return r, nil
}

// RequestsIn is ParseRequests of a dump of other objects, which may hold no requests: nil then.
func RequestsIn(name string, data []byte) (*Requests, error) {
	r := &Requests{Dir: name, Others: map[string]int{}}
	if err := r.parse(name, data, false, map[component.Ref]Request{}); err != nil || len(r.List) == 0 {
		return nil, err
	}
	return r, nil
}

// found is an error where no request counts.
func (r *Requests) found() error {
	const extract = "'oc adm release extract --credentials-requests --cloud=vsphere --to=DIR RELEASE-IMAGE' writes them"
	switch {
	case len(r.List) > 0:
		return nil
	case len(r.Skipped) > 0:
		return fmt.Errorf("%s: all CredentialsRequests in it are skipped: %s %s", r.Dir,
			r.Skipped[0].Name, r.Skipped[0].Reason)
	case len(r.Others) > 0:
		return hint.Errorf(extract, "no CredentialsRequest for vSphere found in %q, only %s", r.Dir, r.OtherKinds())
	}
	return hint.Errorf(extract, "no CredentialsRequest manifests found in %q", r.Dir)
}

// Privileges are those that the requests ask for, sorted, each once.
func (r *Requests) Privileges() []string {
	var all []string
	for _, q := range r.List {
		all = append(all, q.Privileges...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// parse adds the requests of one file.
func (r *Requests) parse(name string, data []byte, preview bool, seen map[component.Ref]Request) error {
	o := newReader(name)
	o.Each(data, func(from objects.Object) {
		if from.Kind != "CredentialsRequest" {
			r.Others[from.Kind]++
			return
		}
		request, meta, provider, ok := o.request(from)
		switch {
		case !ok:
			return
		case provider != providerKind:
			r.Others[provider]++
			return
		}
		if reason := skip(meta, preview); reason != "" {
			r.Skipped = append(r.Skipped, Skipped{request, reason, meta.Annotations[deleteAnnotation] == "true"})
			return
		}
		before, again := seen[request.Ref]
		switch {
		case !again:
			seen[request.Ref] = request
			r.List = append(r.List, request)
		case before.SecretRef != request.SecretRef:
			o.Report(from.Line, "CredentialsRequest %s is in %s too, with another secretRef", request.Name,
				before.File)
		case !slices.Equal(before.Privileges, request.Privileges),
			!slices.Equal(before.ServiceAccounts, request.ServiceAccounts):
			o.Report(from.Line, "CredentialsRequest %s is in %s too, with other permissions or service accounts", request.Name, before.File)
		}
	})
	return o.Err()
}

// skip says why ccoctl would pass a request over, "" if it does not.
func skip(meta metav1.ObjectMeta, preview bool) string {
	set, inSet := meta.Annotations[featureSetAnnotation]
	switch {
	case meta.Annotations[deleteAnnotation] == "true":
		return "is marked for deletion in the cluster"
	case inSet && !preview:
		return fmt.Sprintf("belongs to feature set %s (--enable-tech-preview includes %s)", set, techPreview)
	case inSet && set != techPreview:
		return fmt.Sprintf("belongs to feature set %s", set)
	}
	return ""
}

// OtherKinds says what else the directory holds: "2 AWSProviderSpec, 1 Namespace"; "" for nothing.
func (r *Requests) OtherKinds() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(r.Others)) {
		list = append(list, fmt.Sprintf("%d %s", r.Others[kind], kind))
	}
	return strings.Join(list, ", ")
}

// request reads one CredentialsRequest, with its provider; ok is false if it is malformed.
func (o reader) request(from objects.Object) (r Request, meta metav1.ObjectMeta, provider string, ok bool) {
	before := o.Count()
	version := from.Text("apiVersion").Value
	meta = o.Metadata(from)
	spec := from.Object.Object("spec", "providerSpec", "secretRef", "serviceAccountNames")
	asks := spec.Object("providerSpec", "kind", "permissions")
	provider = asks.Text("kind").Value
	if o.Count() > before {
		return r, meta, provider, false
	}
	switch {
	case !strings.HasPrefix(version, "cloudcredential.openshift.io/"):
		o.Report(from.Line, "expected a CredentialsRequest of cloudcredential.openshift.io, not of %q", version)
	case len(validation.IsDNS1123Subdomain(meta.Name)) > 0:
		o.Report(from.Line, "CredentialsRequest: metadata.name %q is not a valid name", meta.Name)
	case !from.Has("spec"):
		o.Report(from.Line, "CredentialsRequest %s has no spec", meta.Name)
	case provider == "":
		o.Report(spec.Line, "CredentialsRequest %s does not say for which cloud: spec.providerSpec.kind is missing", meta.Name)
	case provider == providerKind:
		r.SecretRef = o.secretRef(spec, meta.Name)
		r.Privileges = o.permissions(asks, meta.Name)
		r.ServiceAccounts = o.serviceAccounts(spec, meta.Name)
	}
	if o.Count() > before || provider != providerKind {
		return r, meta, provider, o.Count() == before
	}
	r.Ref, r.File = component.At(cmp.Or(meta.Namespace, RequestNamespace), meta.Name), o.File()
	r.FeatureSet, r.FeatureGate = meta.Annotations[featureSetAnnotation], meta.Annotations[featureGateAnnotation]
	if known, ok := ConsumerNamed(meta.Name); ok && !known.Component.OptIn() {
		r.Component = known.Component
	}
	return r, meta, provider, true
}

// secretRef is the request's secret. Its names become file names, so they must be valid.
func (o reader) secretRef(spec yamldoc.Object, request string) component.Ref {
	node := spec.Object("secretRef", "namespace", "name")
	at := component.At(node.Text("namespace").Value, node.Text("name").Value)
	switch {
	case !spec.Has("secretRef"):
		o.Report(spec.Line, "CredentialsRequest %s has no spec.secretRef", request)
	case len(validation.IsDNS1123Label(at.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(at.Name)) > 0:
		o.Report(node.Line, "CredentialsRequest %s: spec.secretRef %q is not a valid namespace/name of a secret", request, at)
	}
	return at
}

// permissions are a request's privileges, sorted and unique. The field is a list of groups without
// places (openshift/cloud-credential-operator@e939ccfc7093,
// pkg/apis/cloudcredential/v1/types_vsphere.go): a group with a place is of a later release, of
// unknown meaning.
func (o reader) permissions(asks yamldoc.Object, request string) []string {
	var ids []string
	groups, _ := asks.List("permissions")
	for _, item := range groups {
		group := item.Object("privileges")
		for _, name := range group.Names {
			if name != "privileges" && group.Node != nil {
				o.Report(group.Where(name).Line,
					"CredentialsRequest %s: spec.providerSpec.permissions has the unknown field %s", request, name)
			}
		}
		list, ok := group.Texts("privileges")
		if ok && len(list) == 0 && group.Node != nil {
			o.Report(group.Line, "CredentialsRequest %s: a group of spec.providerSpec.permissions has no privileges", request)
		}
		for _, t := range list {
			if t.Bad {
				continue
			}
			if err := privileges.CheckID(t.Value); err != nil {
				o.Report(t.Line, "CredentialsRequest %s: %v", request, err)
			}
			ids = append(ids, t.Value)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// serviceAccounts are those that a request is for, sorted, each once.
func (o reader) serviceAccounts(spec yamldoc.Object, request string) []string {
	var all []string
	list, _ := spec.Texts("serviceAccountNames")
	for _, t := range list {
		if !t.Bad && len(validation.IsDNS1123Subdomain(t.Value)) > 0 {
			o.Report(t.Line, "CredentialsRequest %s: %q of spec.serviceAccountNames is not a valid name",
				request, t.Value)
		}
		all = append(all, t.Value)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
