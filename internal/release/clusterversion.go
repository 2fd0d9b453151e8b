package release

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

type reader struct{ objects.Reader }

// Update is a release that a cluster is offered.
type Update struct {
	Ref
	Conditional bool   // a conditional update: it has known risks
	Recommended string // of a conditional one: True, False, Unknown; "" = not said
	Why         string // the reason and the message for that
}

// Condition is a reported state: True, False or Unknown.
type Condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// ClusterVersion is what a cluster says of its release: openshift/api, config/v1, ClusterVersion.
type ClusterVersion struct {
	ID, Channel string
	Version     string // that runs: the latest that was completed; "" while the first one is installed
	Image       string // of it; "" = not said
	Desired     Ref    // where it is, or is on the way to
	Updates     []Update
	NoUpdates   bool       // status.availableUpdates is null: none are known
	Retrieved   *Condition // RetrievedUpdates; nil = not said
	Upgradeable *Condition // of the cluster; nil = not said, so no obstacle
}

// Running is the version that runs, or that is being installed.
func (c *ClusterVersion) Running() string {
	if c.Version != "" {
		return c.Version
	}
	return c.Desired.Version
}

// Available are the updates that the cluster is offered without reserve.
func (c *ClusterVersion) Available() []Ref {
	var list []Ref
	for _, u := range c.Updates {
		if !u.Conditional {
			list = append(list, u.Ref)
		}
	}
	return list
}

// ParseClusterVersion reads output of `oc get clusterversion version -o yaml` (or -o json): one
// ClusterVersion, and nothing else. name stands for the file in errors.
func ParseClusterVersion(name string, data []byte) (*ClusterVersion, error) {
	o := newReader(name)
	var found *ClusterVersion
	o.Each(data, func(from objects.Object) {
		switch {
		case from.Kind != "ClusterVersion":
			o.Report(from.Line, "is a %s, not a ClusterVersion: 'oc get clusterversion version -o yaml' prints it", objects.VisibleKind(from.Kind))
		case found != nil:
			o.Report(from.Line, "is a second ClusterVersion: a cluster has only one")
		default:
			found = o.clusterVersion(from)
		}
	})
	if found == nil && o.Count() == 0 {
		o.Report(0, "contains no ClusterVersion: 'oc get clusterversion version -o yaml' prints it")
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	return found, nil
}

func (o reader) clusterVersion(from objects.Object) *ClusterVersion {
	api := from.Text("apiVersion")
	meta := o.Metadata(from)
	status := from.Object.Object("status")
	spec := from.Object.Object("spec")
	c := &ClusterVersion{ID: spec.Text("clusterID").Value, Channel: spec.Text("channel").Value}
	switch {
	case api.Value != "config.openshift.io/v1" && !api.Bad:
		o.At(api.Place, "is not config.openshift.io/v1")
	case meta.Name != "version" && meta.Name != "":
		o.Report(from.Line, "a cluster's ClusterVersion is named version")
	case !from.Has("status"):
		o.Report(from.Line, "ClusterVersion has no status, which the cluster writes")
	}
	if from.Has("status") {
		c.Desired = o.release(status.Object("desired"), status.Where("desired"))
	}
	done := o.completed(status)
	if c.Version, c.Image = done.Version, done.Image; c.Image == "" && c.Version == c.Desired.Version {
		c.Image = c.Desired.Image
	}
	c.NoUpdates = !status.Has("availableUpdates")
	items, _ := status.List("availableUpdates")
	for _, item := range items {
		c.Updates = append(c.Updates, Update{Ref: o.release(item.Object(), item.Place)})
	}
	items, _ = status.List("conditionalUpdates")
	for _, item := range items {
		fields := item.Object()
		u := Update{Ref: o.release(fields.Object("release"), fields.Where("release")), Conditional: true}
		if r := o.condition(fields, "Recommended"); r != nil {
			u.Recommended, u.Why = r.Status, joined(r.Reason, r.Message)
		}
		if !slices.Contains(c.Available(), u.Ref) { // both lists have it if no risk applies
			c.Updates = append(c.Updates, u)
		}
	}
	c.Retrieved, c.Upgradeable = o.condition(status, "RetrievedUpdates"), o.condition(status, "Upgradeable")
	return c
}

func joined(reason, message string) string {
	if reason != "" && message != "" {
		return reason + ": " + message
	}
	return reason + message
}

// release reads a release, whose version and image have to be there.
func (o reader) release(from yamldoc.Object, at yamldoc.Place) Ref {
	version, image := from.Text("version"), from.Text("image")
	switch {
	case version.Bad || image.Bad:
	case version.Value == "":
		o.At(at, "has no version")
	case image.Value == "":
		o.At(at, "has no image")
	default:
		if err := CheckVersion(version.Value); err != nil {
			o.At(version.Place, "%v", err)
		}
		if err := CheckImage(image.Value); err != nil {
			o.At(image.Place, "%v", err)
		}
	}
	return Ref{version.Value, image.Value}
}

// completed is the last completed release, with its image if known. The history has the newest
// first.
func (o reader) completed(status yamldoc.Object) Ref {
	items, _ := status.List("history")
	for _, item := range items {
		fields := item.Object()
		if version := fields.Text("version"); fields.Text("state").Value == "Completed" {
			if err := CheckVersion(version.Value); err != nil && !version.Bad {
				o.At(fields.Where("version"), "%v", err)
			}
			image := fields.Text("image").Value
			if CheckImage(image) != nil {
				image = ""
			}
			return Ref{version.Value, image}
		}
	}
	return Ref{}
}

// condition finds a condition by its type.
func (o reader) condition(from yamldoc.Object, kind string) *Condition {
	items, _ := from.List("conditions")
	for _, item := range items {
		fields := item.Object()
		if fields.Text("type").Value == kind {
			return &Condition{fields.Text("status").Value, fields.Text("reason").Value, fields.Text("message").Value}
		}
	}
	return nil
}

func newReader(name string) reader { return reader{objects.New(name)} }
