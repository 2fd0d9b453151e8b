package vcsim

import "fmt"

// demo is the fixed estate. Vcenter N has the datacenter DCN with all that an OpenShift cluster wants. The names that the
// cluster uses end with the suffix of the options.
func (b *builder) demo() (Estate, error) {
	n := b.number
	s, err := b.datacenter(b.root, fmt.Sprintf("DC%d", n)+b.o.Suffix)
	if err != nil {
		return Estate{}, err
	}
	var hosts []string
	for i := range 3 {
		hosts = append(hosts, fmt.Sprintf("esx%d.dc%d.example.com", i+1, n))
	}
	cluster, err := s.cluster(s.folders.HostFolder, fmt.Sprintf("C%d", n)+b.o.Suffix, hosts)
	if err != nil {
		return Estate{}, err
	}
	root, err := cluster.ResourcePool(s.ctx)
	if err != nil {
		return Estate{}, err
	}
	pool, err := s.pool(0, root, "openshift"+b.o.Suffix)
	if err != nil {
		return Estate{}, err
	}
	s.view.Networks = append(s.view.Networks, Network{Path: s.view.Path + "/network/VM Network"}) // comes with the hosts
	if err := s.dvs(s.folders.NetworkFolder, "dvs0", "ocp-net"+b.o.Suffix); err != nil {
		return Estate{}, err
	}
	ds := fmt.Sprintf("ds%d", n) + b.o.Suffix
	for _, name := range []string{ds, "other"} {
		if err := s.datastore(name, nil); err != nil {
			return Estate{}, err
		}
	}
	openshift, err := s.folder(s.folders.VmFolder, "openshift"+b.o.Suffix)
	if err != nil {
		return Estate{}, err
	}
	ours, err := s.folder(openshift, "cluster1"+b.o.Suffix)
	if err != nil {
		return Estate{}, err
	}
	legacy, err := s.folder(s.folders.VmFolder, "legacy")
	if err != nil {
		return Estate{}, err
	}
	templates, err := s.folder(s.folders.VmFolder, "templates")
	if err != nil {
		return Estate{}, err
	}
	rhcos, err := s.vm(templates, root, "rhcos"+b.o.Suffix, ds)
	if err != nil {
		return Estate{}, err
	}
	if err := s.template(rhcos); err != nil {
		return Estate{}, err
	}
	for _, name := range []string{"bastion", "registry"} {
		if _, err := s.vm(ours, pool, name, ds); err != nil {
			return Estate{}, err
		}
	}
	for _, name := range []string{"billing", "mail"} {
		if _, err := s.vm(legacy, root, name, "other"); err != nil {
			return Estate{}, err
		}
	}
	return Estate{Datacenters: []Datacenter{s.view}}, nil
}
