package vcsim_test

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/object"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

func ExampleStart() {
	lab, err := vcsim.Start(vcsim.Options{VCenters: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lab.Close()
	v := lab.VCenter("vcenter2.example.com")
	client, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = object.NewAuthorizationManager(client).AddRole(context.Background(), "mine", []string{"No.Such"})
	fmt.Println(v.Estate().Datacenters[0].Clusters[0].Path, err)
	// Output: /DC2/host/C2 ServerFaultCode: A specified parameter was not correct: privIds
}
