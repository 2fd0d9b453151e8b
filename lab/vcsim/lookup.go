package vcsim

import (
	"encoding/base64"

	"github.com/vmware/govmomi/lookup/types"
	vim "github.com/vmware/govmomi/vim25/types"
)

// node is a vCenter as the lookup services of its SSO domain know it.
type node struct {
	server      string // host name
	instance    string // About.InstanceUuid
	certificate []byte // DER
}

func (n node) ssoURL(domain string) string { return "https://" + n.server + ssoPath + "/sdk/" + domain }
func (n node) stsURL(domain string) string { return "https://" + n.server + stsPath + "/" + domain }

// lookupService lists the services of all vCenters of one SSO domain, those of its own vCenter first.
type lookupService struct {
	domain string
	own    node
	linked []node // the other vCenters of the domain
}

const lookupSite = "default-site"

func newLookupEndpoint(s *lookupService) *soapEndpoint {
	ref := func(kind, value string) vim.ManagedObjectReference {
		return vim.ManagedObjectReference{Type: kind, Value: value}
	}
	registration := ref("LookupServiceRegistration", "ServiceRegistration")
	content := types.LookupServiceContent{
		LookupService:                ref("LookupLookupService", "lookupService"),
		ServiceRegistration:          &registration,
		DeploymentInformationService: ref("LookupDeploymentInformationService", "deploymentInformationService"),
		L10n:                         ref("LookupL10n", "l10n"),
	}
	return &soapEndpoint{namespace: "lookup", methods: map[string]soapMethod{
		"LookupServiceInstance.RetrieveServiceContent": method(func(*soapCall, *types.RetrieveServiceContent) (*types.RetrieveServiceContentResponse, error) {
			return &types.RetrieveServiceContentResponse{Returnval: content}, nil
		}),
		"LookupServiceRegistration.GetSiteId": method(func(*soapCall, *types.GetSiteId) (*types.GetSiteIdResponse, error) {
			return &types.GetSiteIdResponse{Returnval: lookupSite}, nil
		}),
		"LookupServiceRegistration.List": method(s.list),
		"LookupServiceRegistration.Get": method(func(_ *soapCall, r *types.Get) (*types.GetResponse, error) {
			for _, info := range s.registrations() {
				if info.ServiceId == r.ServiceId {
					return &types.GetResponse{Returnval: info}, nil
				}
			}
			return nil, &soapError{"LookupFaultEntryNotFoundFault", &types.LookupFaultEntryNotFoundFault{Name: r.ServiceId}, "no service " + r.ServiceId}
		}),
	}}
}

func (s *lookupService) list(_ *soapCall, r *types.List) (*types.ListResponse, error) {
	f := r.FilterCriteria
	if f == nil { // govmomi's simulator says that a real service refuses this
		return nil, &soapError{"LookupFaultServiceFault", &types.LookupFaultServiceFault{}, "filterCriteria is missing"}
	}
	var res types.ListResponse
	for _, info := range s.registrations() {
		if f.SiteId != "" && f.SiteId != info.SiteId || f.NodeId != "" && f.NodeId != info.NodeId {
			continue
		}
		if t := f.ServiceType; t != nil && !(fits(t.Product, info.ServiceType.Product) && fits(t.Type, info.ServiceType.Type)) {
			continue
		}
		if t := f.EndpointType; t != nil {
			var fitting []types.LookupServiceRegistrationEndpoint
			for _, e := range info.ServiceEndpoints {
				if fits(t.Protocol, e.EndpointType.Protocol) && fits(t.Type, e.EndpointType.Type) {
					fitting = append(fitting, e)
				}
			}
			if info.ServiceEndpoints = fitting; len(fitting) == 0 {
				continue
			}
		}
		res.Returnval = append(res.Returnval, info)
	}
	return &res, nil
}

func fits(want, have string) bool { return want == "" || want == have }

func (s *lookupService) registrations() []types.LookupServiceRegistrationInfo {
	var out []types.LookupServiceRegistrationInfo
	for _, n := range append([]node{s.own}, s.linked...) {
		trust := []string{base64.StdEncoding.EncodeToString(n.certificate)}
		endpoint := func(url, protocol, kind string) types.LookupServiceRegistrationEndpoint {
			return types.LookupServiceRegistrationEndpoint{
				Url: url, SslTrust: trust,
				EndpointType: types.LookupServiceRegistrationEndpointType{Protocol: protocol, Type: kind},
			}
		}
		out = append(out,
			n.service("cs.identity", n.instance+"_sso", []types.LookupServiceRegistrationEndpoint{
				endpoint(n.stsURL(s.domain), "wsTrust", "com.vmware.cis.cs.identity.sso"),
				endpoint(n.ssoURL(s.domain), "vmomi", "com.vmware.cis.cs.identity.admin"),
				endpoint(n.ssoURL(s.domain), "vmomi", "com.vmware.cis.cs.identity.groupcheck"),
			}),
			n.service("vcenterserver", n.instance, []types.LookupServiceRegistrationEndpoint{
				endpoint("https://"+n.server+"/sdk", "vmomi", "com.vmware.vim"),
			}))
	}
	return out
}

func (n node) service(kind, id string, endpoints []types.LookupServiceRegistrationEndpoint) types.LookupServiceRegistrationInfo {
	return types.LookupServiceRegistrationInfo{
		ServiceId: id, SiteId: lookupSite,
		LookupServiceRegistrationCommonServiceInfo: types.LookupServiceRegistrationCommonServiceInfo{
			OwnerId:     n.server,
			NodeId:      n.instance + "_node",
			ServiceType: types.LookupServiceRegistrationServiceType{Product: "com.vmware.cis", Type: kind},
			LookupServiceRegistrationMutableServiceInfo: types.LookupServiceRegistrationMutableServiceInfo{
				ServiceVersion: "2.0", ServiceEndpoints: endpoints,
				ServiceAttributes: []types.LookupServiceRegistrationAttribute{
					{Key: "com.vmware.vim.vcenter.instanceName", Value: n.server},
				},
			},
		},
	}
}
