package vcsim

import (
	"slices"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// completer fills in what the API requires of new objects and the simulator leaves empty. Go reads an empty enumeration;
// other clients cannot. It also gives them the identity and the versions that they have in this vCenter.
type completer struct {
	instance uuid.UUID // of the vCenter
	release  release
	guests   *guests
}

func installCompleter(reg *simulator.Registry, instance uuid.UUID, rel release) completer {
	c := completer{instance: instance, release: rel, guests: &guests{}}
	for _, obj := range reg.AllReference("") {
		c.complete(obj)
	}
	reg.AddHandler(c)
	return c
}

func (completer) Reference() moref { return moref{Type: "ServiceInstance", Value: "completer"} }

// PutObject is called before anybody else knows of the object.
func (c completer) PutObject(_ *simulator.Context, obj mo.Reference) { c.complete(obj) }

// UpdateObject is called while the simulator holds the lock of the object.
func (c completer) UpdateObject(
	ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange,
) {
	switch o := obj.(type) {
	case *mo.VirtualMachine:
		if slices.ContainsFunc(changes, func(c types.PropertyChange) bool { return c.Name == "config.extraConfig" }) {
			flagDiskUUID(o.Config)
			takeKey(o.Config)
		}
		if slices.ContainsFunc(changes, func(c types.PropertyChange) bool {
			return c.Name == "runtime.powerState"
		}) {
			c.boot(o)
		}
	case *mo.Task:
		if len(changes) > 0 {
			watchTask(ctx, o.Self, changes[0].Name)
		}
	}
}

func (c completer) complete(obj mo.Reference) {
	switch o := managed(obj).(type) {
	case *mo.VirtualMachine:
		c.newMachine(o)
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
	case *mo.ClusterComputeResource:
		completeCluster(o)
	case *mo.DistributedVirtualSwitch:
		c.newSwitch(o)
	case *mo.HostSystem:
		if o.Config == nil {
			return
		}
		c.newHost(o)
		for i := range o.Config.OptionDef {
			if d := &o.Config.OptionDef[i]; d.OptionType == nil {
				d.OptionType = &types.StringOption{}
			}
		}
	case *mo.HostSnmpSystem:
		if o.Limits.Capability == "" {
			o.Limits.Capability = types.HostSnmpAgentCapabilityCOMPLETE
		}
	case *mo.Task:
		if id, other := descriptions[o.Info.DescriptionId]; other {
			o.Info.DescriptionId = id
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

// descriptions are the names of tasks in TaskManager.description, which the simulator recorded, by those that it gives its tasks. Clients
// look at them: machine-api forgives a clone that failed.
var descriptions = map[string]string{
	"VirtualMachine.cloneVm": "VirtualMachine.clone", "VirtualMachine.reconfigVm": "VirtualMachine.reconfigure",
	"VirtualMachine.relocateVm": "VirtualMachine.relocate", "VirtualMachine.customizeVm": "VirtualMachine.customize",
	"VirtualMachine.upgradeVm": "VirtualMachine.upgradeVirtualHardware", "VirtualMachine.revertSnapshot": "VirtualMachine.revertToCurrentSnapshot",
	"VirtualMachine.RemoveAllSnapshots": "VirtualMachine.removeAllSnapshots",
}

// completeCluster gives a new cluster the settings that a vCenter's has where nobody set any. Clients read them without a look.
func completeCluster(c *mo.ClusterComputeResource) {
	config, ok := c.ConfigurationEx.(*types.ClusterConfigInfoEx)
	if !ok || config.VsanConfigInfo != nil {
		return
	}
	config.VsanConfigInfo = &types.VsanClusterConfigInfo{
		Enabled: new(false), DefaultConfig: &types.VsanClusterConfigInfoHostDefaultInfo{AutoClaimStorage: new(false)},
	}
	config.DpmConfigInfo = &types.ClusterDpmConfigInfo{
		Enabled:            new(false),
		DefaultDpmBehavior: types.DpmBehaviorAutomated, HostPowerActionRate: 3,
	}
	config.DrsConfig.EnableVmBehaviorOverrides = new(true)
	config.DrsConfig.DefaultVmBehavior, config.DrsConfig.VmotionRate = types.DrsBehaviorFullyAutomated, 3
	config.DasConfig = types.ClusterDasConfigInfo{
		Enabled: new(false), VmMonitoring: string(types.ClusterDasConfigInfoVmMonitoringStateVmMonitoringDisabled),
		HostMonitoring:          string(types.ClusterDasConfigInfoServiceStateEnabled),
		AdmissionControlEnabled: new(true), AdmissionControlPolicy: &types.ClusterFailoverLevelAdmissionControlPolicy{FailoverLevel: 1},
		DefaultVmSettings: &types.ClusterDasVmSettings{
			RestartPriority:   string(types.ClusterDasVmSettingsRestartPriorityMedium),
			IsolationResponse: string(types.ClusterDasVmSettingsIsolationResponseNone),
		},
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
