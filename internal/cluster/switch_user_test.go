package cluster

import "testing"

func TestUsersAreTheSameInBothForms(t *testing.T) {
	t.Parallel()
	for other, same := range map[string]bool{
		`VSPHERE.LOCAL\csi`: true, "CSI@vsphere.local": true, "csi@vsphere.local": true, `vsphere.local\csi-2`: false, "csi@other.local": false, "csi": false,
	} {
		if got := Spelling(other) == Spelling("csi@vsphere.local"); got != same {
			t.Errorf("%s: %t", other, got)
		}
	}
}
