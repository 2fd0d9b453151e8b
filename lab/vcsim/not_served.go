package vcsim

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// NotServedPage lists what the laboratory does not serve.
const NotServedPage = "docs/lab/not-served.md"

// unservedService is a service of a vCenter that is not simulated.
type unservedService struct{ path, what string }

// unservedServices are those that answer that they are not simulated, by the beginning of their
// paths.
var unservedServices = []unservedService{
	{"/sms/", "storage monitoring (SMS), SOAP: neither the CSI driver nor its operator calls it"},
	{"/eam/", "ESX agents (EAM), SOAP"},
	{"/invsvc/", "the inventory service, SOAP"},
	{"/cls/", "transfers of content libraries"},
	{"/guestFile", "transfers to and from guests"},
	{"/screen", "screenshots of machines"},
	{"/mob", "the managed object browser"},
	{"/ui", "the vSphere Client"},
	{"/websso/", "logins of browsers"},
}

// notSimulatedText says that something is not simulated.
func notSimulatedText(what string) string {
	return "the laboratory does not simulate " + what + ": see " + NotServedPage
}

// notServed answers for a service that is not simulated, and says whether the path is one's.
func notServed(w http.ResponseWriter, r *http.Request) bool {
	for _, s := range unservedServices {
		if !strings.HasPrefix(strings.ToLower(r.URL.Path), strings.ToLower(s.path)) {
			continue
		}
		text := notSimulatedText(s.what + " (" + r.URL.Path + ")")
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(":Envelope")) || bytes.Contains(body, []byte("<Envelope")) {
			fault := &soapError{"NotImplemented", &types.NotImplemented{}, text}
			(&soapEndpoint{namespace: vim25.Namespace}).answer(w, nil, fault)
		} else {
			http.Error(w, text, http.StatusNotImplemented)
		}
		return true
	}
	return false
}

// notSimulated is the fault of a call that no object here can serve: of a method that a vCenter
// has, it is one that a vCenter never gives.
func (a *authorization) notSimulated(on moref, method string) (string, types.BaseMethodFault) {
	if _, known := a.methods.of(on.Type, method); known {
		return notSimulatedText(on.Type + "." + method), &types.NotImplemented{}
	}
	return "", &types.MethodNotFound{Receiver: on, Method: method}
}
