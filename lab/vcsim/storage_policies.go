package vcsim

import (
	"github.com/vmware/govmomi/pbm"
	pbmtypes "github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/policy"
)

// policyCaller is who calls PBM.
type policyCaller struct{ *access }

func (c policyCaller) Name() string { return c.name }

func (c policyCaller) Require(privilege string) types.BaseMethodFault {
	return c.require(need{c.root, privilege})
}

func (c policyCaller) Datastores() []moref { return c.datastoresInSight() }

// policyInventory is what policies see of a vCenter.
type policyInventory struct{ *VCenter }

func (i policyInventory) Tags(datastore moref, category string) []string {
	return i.rest.TagsIn(datastore, category)
}

func (i policyInventory) Kind(datastore moref) (kind string) {
	if ds, ok := managed(i.authz.reg.Get(datastore)).(*mo.Datastore); ok {
		i.authz.reg.WithLock(i.authz.background(), ds, func() { kind = ds.Summary.Type })
	}
	return kind
}

func (i policyInventory) Volumes(id string) []string { return i.volumes.WithPolicy(id) }

func (i policyInventory) PolicyOf(volume string) string { return i.volumes.PolicyOf(volume) }

// ioFilters is the answer to a call of the internal API.
type ioFilters struct {
	Returnval []pbmtypes.PbmProfileToIofilterMap `xml:"returnval"`
}

func (*ioFilters) element() string { return "PbmQueryIOFiltersFromProfileIdResponse" }
func (*ioFilters) internal()       {}

// ioFiltersOf serves QueryIOFilters.
func ioFiltersOf(p *policy.Service) func(
	policy.Caller, *pbmtypes.PbmQueryIOFiltersFromProfileId,
) (*ioFilters, types.BaseMethodFault) {
	return func(
		c policy.Caller, req *pbmtypes.PbmQueryIOFiltersFromProfileId,
	) (*ioFilters, types.BaseMethodFault) {
		list, fault := p.QueryIOFilters(c, req)
		return &ioFilters{list}, fault
	}
}

// newPolicyEndpoint serves PBM. Sessions are those of vim25, whose cookie is in the header of each request.
func newPolicyEndpoint(v *VCenter, j journal) *soapEndpoint {
	s := &besideVim{VCenter: v, name: pbm.Namespace, journal: j, session: v.headerSession}
	as, p := func(x *access) policy.Caller { return policyCaller{x} }, v.policies
	const profiles, placement = "PbmProfileProfileManager.", "PbmPlacementSolver."
	return &soapEndpoint{namespace: pbm.Namespace, methods: map[string]soapMethod{
		"PbmServiceInstance.PbmRetrieveServiceContent": method(func(*soapCall, *pbmtypes.PbmRetrieveServiceContent) (*pbmtypes.PbmRetrieveServiceContentResponse, error) {
			return &pbmtypes.PbmRetrieveServiceContentResponse{Returnval: p.Content()}, nil
		}),
		profiles + "PbmQueryProfile":                methodOf(s, as, p.QueryProfile),
		profiles + "PbmRetrieveContent":             methodOf(s, as, p.RetrieveContent),
		profiles + "PbmCreate":                      methodOf(s, as, p.Create),
		profiles + "PbmUpdate":                      methodOf(s, as, p.Update),
		profiles + "PbmDelete":                      methodOf(s, as, p.Delete),
		profiles + "PbmQueryAssociatedProfile":      methodOf(s, as, p.QueryAssociatedProfile),
		profiles + "PbmQueryAssociatedProfiles":     methodOf(s, as, p.QueryAssociatedProfiles),
		profiles + "PbmQueryAssociatedEntity":       methodOf(s, as, p.QueryAssociatedEntity),
		profiles + "PbmQueryIOFiltersFromProfileId": methodOf(s, as, ioFiltersOf(p)),
		placement + "PbmCheckRequirements":          methodOf(s, as, p.CheckRequirements),
		placement + "PbmCheckCompatibility":         methodOf(s, as, p.CheckCompatibility),
	}}
}
