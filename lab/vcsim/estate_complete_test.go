package vcsim

import (
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// vmware_cluster_info of community.vmware reads all of this without a look.
func TestSettingsOfClusters(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for _, c := range every[mo.ClusterComputeResource](t, v, "ClusterComputeResource", "configurationEx") {
		config := must(as[*types.ClusterConfigInfoEx](c.ConfigurationEx))
		if config.VsanConfigInfo == nil || config.VsanConfigInfo.Enabled == nil || config.VsanConfigInfo.DefaultConfig == nil {
			t.Errorf("vSAN: %+v", config.VsanConfigInfo)
		}
		if config.DpmConfigInfo == nil || config.DpmConfigInfo.Enabled == nil || config.DpmConfigInfo.DefaultDpmBehavior == "" {
			t.Errorf("DPM: %+v", config.DpmConfigInfo)
		}
		if !isTrue(config.DrsConfig.Enabled) || config.DrsConfig.DefaultVmBehavior == "" || config.DasConfig.Enabled == nil || config.DasConfig.DefaultVmSettings == nil {
			t.Errorf("DRS and HA: %+v, %+v", config.DrsConfig, config.DasConfig)
		}
	}
	c := admin(t, v)
	cluster := must(finding.NewFinder(c).ClusterComputeResource(t.Context(), "/DC1/host/C1"))
	task := must(cluster.Reconfigure(t.Context(), &types.ClusterConfigSpecEx{VsanConfig: &types.VsanClusterConfigInfo{Enabled: new(true)}}, true))
	if err := task.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// PowerCLI and pyVmomi show these texts: one for each privilege and for each group.
func TestDescriptionsOfPrivileges(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	var m mo.AuthorizationManager
	props := []string{"description", "privilegeList"}
	if err := property.DefaultCollector(c).RetrieveOne(t.Context(), *c.ServiceContent.AuthorizationManager, props, &m); err != nil {
		t.Fatal(err)
	}
	texts := map[string]types.Description{}
	for _, list := range [][]types.BaseElementDescription{m.Description.Privilege, m.Description.PrivilegeGroup} {
		for _, d := range list {
			texts[d.GetElementDescription().Key] = d.GetElementDescription().Description
		}
	}
	for _, p := range m.PrivilegeList {
		for _, key := range []string{p.PrivId, p.PrivGroupName} {
			if d := texts[key]; d.Label == "" || d.Summary == "" {
				t.Errorf("%s has no text", key)
			}
		}
	}
	for key, label := range map[string]string{
		"VirtualMachine.Config.HostUSBDevice": "Host USB device", "VirtualMachine.Interact.PowerOn": "Power on", "VirtualMachine.Interact": "Interact",
	} {
		if texts[key].Label != label {
			t.Errorf("%s: %q", key, texts[key].Label)
		}
	}
}
