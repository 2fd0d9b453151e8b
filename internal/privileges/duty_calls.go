package privileges

// calls are the requests to a vCenter of which a duty is made, by its name: methods of the SOAP API, of PBM and CNS, and operations of
// the REST API. What is only found and read has none: every method may refuse that.
var calls = map[string][]string{
	"attach disk":                           {"CnsAttachVolume", "AttachDisk_Task"},
	"browse datastore":                      {"SearchDatastore_Task", "SearchDatastoreSubFolders_Task"},
	"change metadata":                       {"ReconfigVM_Task"},
	"clone template":                        {"CloneVM_Task"},
	"clone, Cluster API":                    {"CloneVM_Task"},
	"create category and tag":               {"category.create", "category.update", "tag.create", "tag.update"},
	"create first class disk":               {"CnsCreateVolume", "CnsDeleteVolume", "CnsExtendVolume"},
	"create folder of a move":               {"CreateFolder"},
	"create storage policy":                 {"PbmCreate", "PbmUpdate", "PbmDelete", "PbmQueryProfile"},
	"destroy boot image":                    {"Destroy_Task"},
	"destroy machine":                       {"Destroy_Task"},
	"detach volume":                         {"CnsDetachVolume", "DetachDisk_Task"},
	"extend disk":                           {"ReconfigVM_Task"},
	"import boot image":                     {"ImportVApp"},
	"import machine":                        {"ImportVApp"},
	"make boot image a template":            {"MarkAsTemplate", "Rename_Task", "ReconfigVM_Task"},
	"make volumes of the vSAN file service": {"CnsCreateVolume"},
	"mark as template":                      {"MarkAsTemplate"},
	"power off":                             {"PowerOffVM_Task"},
	"power on":                              {"PowerOnVM_Task", "PowerOnMultiVM_Task"},
	"query storage policies":                {"PbmQueryProfile", "PbmRetrieveContent", "PbmCheckRequirements"},
	"query volumes":                         {"CnsQueryVolume", "CnsQueryAllVolume", "CnsQueryAsync"},
	"tag boot image":                        {"tag_association.attach"},
	"tag datastore":                         {"tag_association.attach"},
	"tag machine":                           {"tag_association.attach"},
	"tag region and zone":                   {"category.create", "tag.create", "tag_association.attach"},
}

// Calls are the requests of a duty.
func (d *Duty) Calls() []string { return calls[d.Name] }

// Privileges are all that a duty needs besides finding its objects.
func (d *Duty) Privileges() []string {
	var all []string
	for _, a := range d.Asks {
		for _, id := range a.Privileges {
			if !Implicit(id) {
				all = append(all, id)
			}
		}
	}
	return sortedUnique(all)
}
