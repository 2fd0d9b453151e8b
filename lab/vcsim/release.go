package vcsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// release is what is known to differ between releases of vCenter (R9, R44, R47). What is not known to differ is the same on
// all of them.
type release struct {
	name, api, build string
	esxi             [2]string // version and build of its hosts: the newest that govmomi's simulator knows and this vCenter can manage

	missingPrivileges bool     // NoPermission says all that is missing, since 7.0.3.2 (R44)
	without, with     []string // privileges, compared with the recorded catalogue
	rest              []string // paths below /api/ that exist, apart from the session
}

// privilegeChecks is where a vCenter tells which privileges were checked, since 8.0 (vSphere Automation API reference).
var privilegeChecks = []string{"/api/vcenter/authorization/privilege-checks", "/api/vcenter/authorization/privilege-checks/latest"}

// olderPermissions is where a vCenter tells its global permissions until 9.2; since when is not known.
var olderPermissions = []string{"/rest/com/vmware/cis/authz/permission", "/rest/com/vmware/cis/authz/permission/{}"}

// releases, the oldest first. That the catalogue of 7.0.3 lacks these privileges is inferred from the one of 7.0.2, and
// that it has DVPortgroup.Ipfix from other releases 7.x. No catalogue of 8.0.1 or 9.0 is known.
var releases = []release{
	{
		name: "7.0.3", api: "7.0.3.0", build: "18700403", esxi: [2]string{"7.0.2", "17630552"},
		without: []string{
			"ContentLibrary.AddCertToTrustStore", "ContentLibrary.DeleteCertFromTrustStore",
			"vSphereDataProtection.Protection", "vSphereDataProtection.Recovery",
		},
		with: []string{"DVPortgroup.Ipfix"},
	},
	{name: "8.0.1", api: "8.0.1.0", build: "21560480", esxi: [2]string{"8.0.1", "21495797"}, missingPrivileges: true, rest: privilegeChecks},
	{name: "8.0.3", api: "8.0.3.0", build: "24022515", esxi: [2]string{"8.0.2", "22380479"}, missingPrivileges: true, rest: slices.Concat(privilegeChecks, olderPermissions)},
	{
		name: "9.0", api: "9.0.0.0", build: "24755230", esxi: [2]string{"8.0.2", "22380479"}, missingPrivileges: true,
		rest: slices.Concat([]string{
			"/api/vcenter/authorization/permissions", "/api/vcenter/authorization/permissions/{}",
			"/api/vcenter/authorization/privileges", "/api/vcenter/authorization/roles",
		}, privilegeChecks, olderPermissions),
	},
}

// DefaultRelease is the one of a vCenter that nothing is said about.
const DefaultRelease = "8.0.3"

// Releases names the releases of vCenter that can be simulated, the oldest first.
func Releases() []string {
	names := make([]string, len(releases))
	for i, r := range releases {
		names[i] = r.name
	}
	return names
}

// releaseOf is the release of vCenter i among so many: one for all, or one for each.
func (o *Options) releaseOf(i, vcenters int) (release, error) {
	name := DefaultRelease
	switch len(o.Releases) {
	case 0:
	case 1:
		name = o.Releases[0]
	case vcenters:
		name = o.Releases[i]
	default:
		return release{}, fmt.Errorf("%d releases for %d vCenters: give one for all, or one for each", len(o.Releases), vcenters)
	}
	k := slices.IndexFunc(releases, func(r release) bool { return r.name == name })
	if k < 0 {
		return release{}, fmt.Errorf("release %q is not known: it is one of %s", name, strings.Join(Releases(), ", "))
	}
	return releases[k], nil
}

// about fills in what a vCenter says of itself.
func (r release) about(about *types.AboutInfo) {
	version := strings.TrimSuffix(r.api, ".0")
	about.FullName = "VMware vCenter Server " + version + " build-" + r.build
	about.Version, about.ApiVersion, about.Build = version, r.api, r.build
	about.LicenseProductVersion = strings.Join(strings.Split(r.api, ".")[:2], ".")
}

// hostAbout fills in what a host of this vCenter says of itself.
func (r release) hostAbout(about *types.AboutInfo) {
	version, build := r.esxi[0], r.esxi[1]
	about.FullName = "VMware ESXi " + version + " build-" + build
	about.Version, about.ApiVersion, about.Build = version, version+".0", build
	about.LicenseProductVersion = strings.Join(strings.Split(version, ".")[:2], ".")
}

// denied is the fault of a call that lacks privileges, as this release has it.
func (a *authorization) denied(missing []need) *types.NoPermission {
	fault := denied(missing)
	a.release.cut(fault)
	return fault
}

// fit makes the faults of properties that cannot be read what this release has.
func (r release) fit(missing []types.MissingProperty) {
	for _, m := range missing {
		if fault, ok := m.Fault.Fault.(*types.NoPermission); ok {
			r.cut(fault)
		}
	}
}

func (r release) cut(fault *types.NoPermission) {
	if !r.missingPrivileges {
		fault.MissingPrivileges = nil
	}
}

// Privileges are those that a vCenter of a release knows, sorted; nil for a release that cannot be simulated.
func Privileges(name string) []string {
	i := slices.IndexFunc(releases, func(r release) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	c, err := newCatalogue(releases[i].without, releases[i].with)
	if err != nil {
		return nil
	}
	return c.ids
}
