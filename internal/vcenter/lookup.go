package vcenter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vmware/govmomi/lookup"
	lookupmethods "github.com/vmware/govmomi/lookup/methods"
	lookuptypes "github.com/vmware/govmomi/lookup/types"
	"github.com/vmware/govmomi/vim25/types"
)

// registration is one service that the lookup service knows.
type registration struct {
	serviceID, kind string
	endpoints       map[string]string // endpoint type → URL
}

// Kinds of services and endpoints in the lookup service.
const (
	kindIdentity  = "cs.identity"
	kindVCenter   = "vcenterserver"
	endpointAdmin = "com.vmware.cis.cs.identity.admin"
	endpointSTS   = "com.vmware.cis.cs.identity.sso"
)

// lookupRegistrations is the same in every lookup service; asking for it would cost a round trip.
var lookupRegistrations = types.ManagedObjectReference{Type: "LookupServiceRegistration", Value: "ServiceRegistration"}

// Discover asks the lookup service in one request without a login, so it can run beside the login.
func (s *Session) Discover(ctx context.Context) error {
	_, err := s.discover(ctx)
	return err
}

func (s *Session) discover(ctx context.Context) ([]registration, error) {
	s.discovering.Store(true)
	return s.registrations.get(func() ([]registration, error) {
		return s.config.Run.registered(s.Server + " " + s.config.dialAddress()).get(func() ([]registration, error) { return s.list(ctx) })
	})
}

func (s *Session) list(ctx context.Context) ([]registration, error) {
	rt := s.newTransport(s.service(lookup.Path, lookup.Namespace, lookup.Version, limitLookup), nil)
	rt.slots = make(chan struct{}, 1) // a login in a slot may wait for it
	res, err := lookupmethods.List(ctx, rt, &lookuptypes.List{
		This:           lookupRegistrations,
		FilterCriteria: &lookuptypes.LookupServiceRegistrationFilter{},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.URL(lookup.Path), err)
	}
	all := make([]registration, 0, len(res.Returnval))
	for _, info := range res.Returnval {
		r := registration{serviceID: info.ServiceId, kind: info.ServiceType.Type, endpoints: map[string]string{}}
		for _, e := range info.ServiceEndpoints {
			r.endpoints[e.EndpointType.Type] = e.Url
		}
		all = append(all, r)
	}
	return all, nil
}

// ssoEndpoints gives the paths of SSO administration and token service. Since vSphere 7 they are on
// the vCenter, so they are called at the server of this session.
func (s *Session) ssoEndpoints(ctx context.Context) (admin, issuer string, err error) {
	all, err := s.discover(ctx)
	if err != nil {
		return "", "", err
	}
	for _, r := range all {
		if r.kind != kindIdentity {
			continue
		}
		if u := pathOf(r.endpoints[endpointAdmin]); u != "" && admin == "" {
			admin = u
		}
		if u := pathOf(r.endpoints[endpointSTS]); u != "" && issuer == "" {
			issuer = u
		}
	}
	if admin == "" || issuer == "" {
		return "", "", errors.New("the lookup service has no SSO administration endpoint")
	}
	return admin, issuer, nil
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// Registered is a vCenter as the lookup service of its SSO domain has it.
type Registered struct {
	ID    string   // of its registration; the instance UUID, but that is documented nowhere
	Hosts []string // sorted
}

// Registered are the vCenters of the same SSO domain, this one included, by ID.
func (s *Session) Registered(ctx context.Context) ([]Registered, error) {
	all, err := s.discover(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	var found []Registered
	for _, r := range all {
		if r.kind != kindVCenter {
			continue
		}
		one := Registered{ID: r.serviceID}
		for _, raw := range r.endpoints {
			if u, err := url.Parse(raw); err == nil && u.Hostname() != "" &&
				!slices.Contains(one.Hosts, u.Hostname()) {
				one.Hosts = append(one.Hosts, u.Hostname())
			}
		}
		slices.Sort(one.Hosts)
		found = append(found, one)
	}
	slices.SortFunc(found, func(a, b Registered) int { return strings.Compare(a.ID, b.ID) })
	return found, nil
}

// PeerServers are the registered host names of all vCenters of the SSO domain.
func (s *Session) PeerServers(ctx context.Context) ([]string, error) {
	all, err := s.Registered(ctx)
	var hosts []string
	for _, r := range all {
		hosts = append(hosts, r.Hosts...)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), err
}

// Peers are the registered ids of all vCenters of the SSO domain; each of them gives the same list.
// Equal domain names prove nothing: vsphere.local is the default. No document says whether these
// ids are instance UUIDs.
func (s *Session) Peers(ctx context.Context) ([]string, error) {
	all, err := s.discover(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	var peers []string
	for _, r := range all {
		if r.kind == kindVCenter {
			peers = append(peers, r.serviceID)
		}
	}
	slices.Sort(peers)
	if len(peers) == 0 {
		peers = []string{s.Content.About.InstanceUuid}
	}
	return peers, nil
}
