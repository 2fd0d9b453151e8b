package spec

import "testing"

func TestMadeOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		infrastructure, cluster string
		want                    bool
	}{
		{"cluster1-x7k2p", "cluster1", true},
		{"Cluster1-x7k2p", "cluster1", true},
		{"cluster1", "cluster1", true}, // somebody named it
		{"CLUSTER1", "cluster1", true},
		{"a-cluster-of-21-chars-x7k2p", "a-cluster-of-21-chars", true},
		{"a-cluster-of-21-chars-x7k2p", "a-cluster-of-21-chars-and-more", true},
		{"a-cluster-of-20-char-x7k2p", "a-cluster-of-20-char-and-more", true}, // a dash at the end goes
		{"cluster1-a-x7k2p", "cluster1-a", true},

		{"cluster2-x7k2p", "cluster1", false},
		{"cluster1-x7k2", "cluster1", false},
		{"cluster1-x7k2pp", "cluster1", false},
		{"cluster1-a-x7k2p", "cluster1", false},
		{"cluster-x7k2p", "cluster1", false},
		{"a-cluster-of-21-chars-and-more-x7k2p", "a-cluster-of-21-chars-and-more", false}, // the installer cuts it
		{"cluster1x7k2p", "cluster1", false},
		{"-x7k2p", "cluster1", false},
		{"", "cluster1", false},
	} {
		if got := MadeOf(tt.infrastructure, "", tt.cluster); got != tt.want {
			t.Errorf("%s of %s: %t", tt.infrastructure, tt.cluster, got)
		}
	}
	const east = "a-cluster-of-21-chars-east"
	for api, want := range map[string]bool{
		"https://api.a-cluster-of-21-chars-east.example.com:6443": true,
		"https://api.a-cluster-of-21-chars-west.example.com:6443": false, // whose infrastructure has the same name but for chance
		"https://api.a-cluster-of-21-chars.example.com:6443":      false,
		"https://openshift.example.com:6443":                      true, // it does not tell
	} {
		if got := MadeOf("a-cluster-of-21-chars-x7k2p", api, east); got != want {
			t.Errorf("%s: %t", api, got)
		}
	}
}
