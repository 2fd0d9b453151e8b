package vcsim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// ownDirectory gives a machine that is imported, and its disks, a directory with a number where its name is taken. The simulator
// refuses the disks.
func (x *access) ownDirectory(call *simulator.Method) {
	req, ok := call.Body.(*types.ImportVApp)
	if !ok {
		return
	}
	spec, ok := req.Spec.(*types.VirtualMachineImportSpec)
	var p object.DatastorePath
	if !ok || spec.ConfigSpec.Files == nil || !p.FromString(spec.ConfigSpec.Files.VmPathName) || p.Path != "" {
		return
	}
	dc, _ := x.datacenterOf(call.This)
	for _, ref := range x.datastores(spec.ConfigSpec.Files.VmPathName, []moref{dc}, nil) {
		ds, ok := x.ctx.Map.Get(ref).(*simulator.Datastore)
		if !ok {
			continue
		}
		name := spec.ConfigSpec.Name
		for n := 1; exists(filepath.Join(hostPath(x.ctx, ds), name)); n++ {
			name = fmt.Sprintf("%s_%d", spec.ConfigSpec.Name, n)
		}
		if name != spec.ConfigSpec.Name {
			moveFiles(&spec.ConfigSpec, p.Datastore, name)
		}
	}
}

func moveFiles(spec *types.VirtualMachineConfigSpec, datastore, directory string) {
	in := func(dir string) string { return "[" + datastore + "] " + dir + "/" }
	spec.Files.VmPathName = in(directory) + spec.Name + ".vmx"
	for _, c := range spec.DeviceChange {
		d := c.GetVirtualDeviceConfigSpec().Device
		if d == nil {
			continue
		}
		if b, ok := d.GetVirtualDevice().Backing.(types.BaseVirtualDeviceFileBackingInfo); ok {
			info := b.GetVirtualDeviceFileBackingInfo()
			if file, ok := strings.CutPrefix(info.FileName, in(spec.Name)); ok {
				info.FileName = in(directory) + file
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hostPath is where this machine keeps the files of a datastore.
func hostPath(ctx *simulator.Context, ds *simulator.Datastore) (path string) {
	ctx.WithLock(ds, func() { path = ds.Summary.Url })
	return path
}

// inDatastore makes the file of a fault one of a datastore, and says whether the fault is of a file. The simulator names that of this
// machine, there or in the text.
func inDatastore(ctx *simulator.Context, fault any) bool {
	f, ok := fault.(types.BaseFileFault)
	if !ok {
		return false
	}
	file := f.GetFileFault()
	for _, obj := range ctx.Map.AllReference("Datastore") {
		ds, ok := obj.(*simulator.Datastore)
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(file.File, hostPath(ctx, ds)+"/"); ok {
			ctx.WithLock(ds, func() { file.File = "[" + ds.Name + "] " + rest })
		}
	}
	return true
}
