module github.com/ocp-vsphere-admin/ocp-vsphere-admin/bench

go 1.26.0

require (
	github.com/ocp-vsphere-admin/ocp-vsphere-admin v0.0.0
	github.com/vmware/govmomi v0.56.0
)

require (
	github.com/a8m/tree v0.0.0-20240104212747-2c8764a5f17e // indirect
	github.com/dougm/pretty v0.0.0-20160325215624-add1dbc86daf // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/xlab/treeprint v1.2.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/ocp-vsphere-admin/ocp-vsphere-admin => ../
