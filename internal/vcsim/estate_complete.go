package vcsim

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// completer fills in what the API requires of new objects and the simulator leaves empty. Go reads an empty enumeration;
// other clients cannot.
type completer struct{}

func installCompleter(reg *simulator.Registry) {
	c := completer{}
	for _, obj := range reg.AllReference("") {
		c.complete(obj)
	}
	reg.AddHandler(c)
}

func (completer) Reference() moref { return moref{Type: "ServiceInstance", Value: "completer"} }

// PutObject is called before anybody else knows of the object.
func (c completer) PutObject(_ *simulator.Context, obj mo.Reference) { c.complete(obj) }

func (completer) UpdateObject(*simulator.Context, mo.Reference, []types.PropertyChange) {}

func (completer) RemoveObject(*simulator.Context, moref) {}

func (completer) complete(obj mo.Reference) {
	switch o := managed(obj).(type) {
	case *mo.VirtualMachine:
		for _, r := range []*types.VirtualMachineRuntimeInfo{&o.Runtime, &o.Summary.Runtime} {
			if r.FaultToleranceState == "" {
				r.FaultToleranceState = types.VirtualMachineFaultToleranceStateNotConfigured
			}
			if r.RecordReplayState == "" {
				r.RecordReplayState = types.VirtualMachineRecordReplayStateInactive
			}
		}
		if o.GuestHeartbeatStatus == "" {
			o.GuestHeartbeatStatus = types.ManagedEntityStatusGray
		}
	case *mo.HostSystem:
		if o.Config == nil {
			return
		}
		for i := range o.Config.OptionDef {
			if d := &o.Config.OptionDef[i]; d.OptionType == nil {
				d.OptionType = &types.StringOption{}
			}
		}
	case *mo.HostSnmpSystem:
		if o.Limits.Capability == "" {
			o.Limits.Capability = types.HostSnmpAgentCapabilityCOMPLETE
		}
	case *mo.LicenseManager:
		if o.Source == nil {
			o.Source = &types.LocalLicenseSource{}
		}
		if o.LicensedEdition == "" {
			o.LicensedEdition = "vc.standard"
		}
	}
}

// completeSwitch gives the spec of a new switch what a vCenter takes where nothing is said.
func completeSwitch(spec types.BaseDVSConfigSpec) {
	if spec == nil {
		return
	}
	s := spec.GetDVSConfigSpec()
	if s.DefaultPortConfig == nil {
		s.DefaultPortConfig = &types.VMwareDVSPortSetting{}
	}
	if s.UplinkPortPolicy == nil {
		s.UplinkPortPolicy = &types.DVSNameArrayUplinkPortPolicy{UplinkPortName: []string{"Uplink 1"}}
	}
}
