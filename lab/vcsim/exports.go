package vcsim

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// exports are the files that leases give out, by the paths of their URLs. Whoever knows one needs
// no session.
type exports struct{ files sync.Map }

const exportPath = "/nfc/export-"

// serve answers for the files of leases; others are the simulator's.
func (e *exports) serve(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file, ok := e.files.Load(r.URL.Path)
		switch name, _ := file.(string); {
		case ok && r.Method == http.MethodGet:
			http.ServeFile(w, r, name)
		case strings.HasPrefix(r.URL.Path, exportPath):
			http.NotFound(w, r)
		default:
			next(w, r)
		}
	}
}

// exportLease lets somebody fetch the disks of a machine, until it is completed or aborted.
type exportLease struct {
	mo.HttpNfcLease
	of *exports
}

func (l *exportLease) end(ctx *simulator.Context) {
	for _, d := range l.Info.DeviceUrl {
		if _, at, ok := strings.Cut(d.Url, "/nfc/"); ok {
			l.of.files.Delete("/nfc/" + at)
		}
	}
	ctx.Session.Remove(ctx, l.Self)
}

// HttpNfcLeaseComplete ends the lease.
func (l *exportLease) HttpNfcLeaseComplete(
	ctx *simulator.Context, _ *types.HttpNfcLeaseComplete,
) soap.HasFault {
	l.end(ctx)
	return &methods.HttpNfcLeaseCompleteBody{Res: &types.HttpNfcLeaseCompleteResponse{}}
}

// HttpNfcLeaseAbort ends the lease.
func (l *exportLease) HttpNfcLeaseAbort(
	ctx *simulator.Context, _ *types.HttpNfcLeaseAbort,
) soap.HasFault {
	l.end(ctx)
	return &methods.HttpNfcLeaseAbortBody{Res: &types.HttpNfcLeaseAbortResponse{}}
}

// HttpNfcLeaseProgress keeps the lease.
func (l *exportLease) HttpNfcLeaseProgress(
	ctx *simulator.Context, req *types.HttpNfcLeaseProgress,
) soap.HasFault {
	ctx.Update(l, []types.PropertyChange{{Name: "transferProgress", Val: req.Percent}})
	return &methods.HttpNfcLeaseProgressBody{Res: &types.HttpNfcLeaseProgressResponse{}}
}

// HttpNfcLeaseGetManifest gives no checksums: files are fetched, not sent.
func (*exportLease) HttpNfcLeaseGetManifest(
	*simulator.Context, *types.HttpNfcLeaseGetManifest,
) soap.HasFault {
	return &methods.HttpNfcLeaseGetManifestBody{Res: &types.HttpNfcLeaseGetManifestResponse{}}
}

// exportVM makes a lease of the disks of a machine that is off, which the simulator has no method
// for.
func (a *authorization) exportVM(
	ctx *simulator.Context, vm *simulator.VirtualMachine,
) soap.HasFault {
	if state := vm.Runtime.PowerState; state != types.VirtualMachinePowerStatePoweredOff {
		return refuse(&types.InvalidPowerState{
			RequestedState: types.VirtualMachinePowerStatePoweredOff, ExistingState: state,
		})
	}
	lease := &exportLease{of: &a.exports}
	lease.Self.Type = "HttpNfcLease"
	lease.State, lease.Mode = types.HttpNfcLeaseStateReady, string(types.HttpNfcLeaseModePushOrGet)
	lease.InitializeProgress = 100
	token, host := rand.Text(), ""
	for _, o := range ctx.Map.OptionManager().Setting {
		if o := o.GetOptionValue(); o.Key == "vcsim.server.url" {
			host, _ = o.Value.(string)
		}
	}
	info := &types.HttpNfcLeaseInfo{Entity: vm.Self, LeaseTimeout: 300}
	for _, device := range vm.Config.Hardware.Device {
		disk, ok := device.(*types.VirtualDisk)
		if !ok {
			continue
		}
		file, size := diskFile(ctx, disk)
		if file == "" {
			continue
		}
		name := fmt.Sprintf("disk-%d.vmdk", len(info.DeviceUrl))
		at := exportPath + token + "/" + name
		a.exports.files.Store(at, file)
		info.DeviceUrl = append(info.DeviceUrl, types.HttpNfcLeaseDeviceUrl{
			Key: fmt.Sprintf("/%s/%d", vm.Self.Value, disk.Key), Url: host + at,
			Disk: new(true), TargetId: name, FileSize: size,
		})
		info.TotalDiskCapacityInKB += disk.CapacityInKB
	}
	lease.Info = info
	info.Lease = ctx.Session.Put(lease).Reference()
	return &methods.ExportVmBody{Res: &types.ExportVmResponse{Returnval: info.Lease}}
}

// diskFile is where this machine keeps the file of a disk, "" if it keeps none.
func diskFile(ctx *simulator.Context, disk *types.VirtualDisk) (file string, size int64) {
	backing, ok := disk.Backing.(types.BaseVirtualDeviceFileBackingInfo)
	if !ok {
		return "", 0
	}
	info := backing.GetVirtualDeviceFileBackingInfo()
	if info.Datastore == nil {
		return "", 0
	}
	ds, ok := ctx.Map.Get(*info.Datastore).(*simulator.Datastore)
	_, name, named := strings.Cut(info.FileName, "] ")
	if !ok || !named {
		return "", 0
	}
	file = path.Join(hostPath(ctx, ds), name)
	stat, err := os.Stat(file)
	if err != nil {
		return "", 0
	}
	return file, stat.Size()
}
