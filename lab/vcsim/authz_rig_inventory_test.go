package vcsim

import "github.com/vmware/govmomi/simulator"

// createInventory makes the inventory that the simulator would, unless the model asks for more: its own way takes six times
// as long, because it waits for every task.
func createInventory(m *simulator.Model) error {
	creation.Lock()
	defer creation.Unlock()
	special := m.App > 0 || m.Pod > 0 || m.Machine > 1
	if !special {
		m.Datacenter, m.Machine = 0, 0
	}
	if err := m.Create(); err != nil {
		return err
	}
	settings := m.Map().OptionManager().Setting
	for i, s := range settings {
		v := *s.GetOptionValue()
		settings[i] = &v
	}
	if special {
		return nil
	}
	b, err := newBuilder(m, 1, Options{}, completer{})
	if err != nil {
		return err
	}
	b.reg.AddHandler(b.tasks)
	defer b.reg.RemoveHandler(b.tasks)
	return b.stock()
}

// stock is the simulator's own default inventory, with one host to the cluster.
func (b *builder) stock() error {
	s, err := b.datacenter(b.root, "DC0")
	if err != nil {
		return err
	}
	root, err := s.standalone(s.folders.HostFolder, "DC0_H0")
	if err != nil {
		return err
	}
	cluster, err := s.cluster(s.folders.HostFolder, "DC0_C0", []string{"DC0_C0_H0"})
	if err != nil {
		return err
	}
	top, err := cluster.ResourcePool(s.ctx)
	if err != nil {
		return err
	}
	pool, err := s.pool(0, top, "DC0_C0_RP1")
	if err != nil {
		return err
	}
	if err := s.dvs(s.folders.NetworkFolder, "DVS0", "DC0_DVPG0"); err != nil {
		return err
	}
	if err := s.datastore("LocalDS_0", nil); err != nil {
		return err
	}
	if _, err := s.vm(s.folders.VmFolder, root, "DC0_H0_VM0", "LocalDS_0"); err != nil {
		return err
	}
	_, err = s.vm(s.folders.VmFolder, pool, "DC0_C0_RP1_VM0", "LocalDS_0")
	return err
}
