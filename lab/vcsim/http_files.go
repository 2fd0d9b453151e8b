package vcsim

import (
	"net/http"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// ticketCookie carries a ticket of AcquireGenericServiceTicket.
const ticketCookie = "vmware_cgi_ticket"

// files serves the contents of datastores (/folder/...) to sessions that may browse them, and lets those change
// them that may manage files. The simulator lets in everybody.
func (v *VCenter) files(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user, ok := v.fileUser(r)
		if !ok {
			http.Error(w, "401 Unauthorized", http.StatusUnauthorized)
			return
		}
		privilege := "Datastore.Browse"
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			privilege = "Datastore.FileManagement"
		}
		ds, ok := datastoreIn(v.model.Map(), r.URL.Query().Get("dcPath"), r.URL.Query().Get("dsName"))
		switch {
		case !ok:
			http.NotFound(w, r)
		case !v.authz.allowed(user, ds, privilege):
			http.Error(w, "403 Forbidden: "+privilege+" is missing", http.StatusForbidden)
		default:
			next(w, r)
		}
	}
}

// fileUser is the account of a request's ticket or session.
func (v *VCenter) fileUser(r *http.Request) (string, bool) {
	if ticket, err := r.Cookie(ticketCookie); err == nil && ticket.Value != "" {
		p, ok := v.authz.services.redeem(ticket.Value)
		return p.String(), ok
	}
	return v.sessionUser(r)
}

// sessionUser is the account of a request's vim25 session.
func (v *VCenter) sessionUser(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(soap.SessionCookieName)
	if err != nil {
		return "", false
	}
	who, _ := v.authz.sessions.Load(cookie.Value)
	p, ok := who.(directory.Principal)
	if !ok {
		return "", false
	}
	user := p.String()
	ctx := &simulator.Context{Context: r.Context(), Map: v.model.Map()}
	body := v.model.Map().SessionManager().SessionIsActive(ctx, &types.SessionIsActive{SessionID: cookie.Value, UserName: user})
	active, ok := body.(*methods.SessionIsActiveBody)
	return user, ok && active.Res != nil && active.Res.Returnval
}

// datastoreIn finds one by its name below a datacenter; datastore names are unique there.
func datastoreIn(reg *simulator.Registry, datacenter, name string) (moref, bool) {
	below := "/" + strings.Trim(datacenter, "/") + "/datastore/"
	for _, e := range reg.All("Datastore") {
		if ref := e.Reference(); entityName(reg, ref) == name && strings.HasPrefix(inventoryPath(reg, ref), below) {
			return ref, true
		}
	}
	return moref{}, false
}
