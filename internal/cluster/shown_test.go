package cluster

import (
	"slices"
	"testing"
)

// Which secrets a namespace has is shown by one of them, by a list of namespaces that lacks it, or by the API server. Other namespaces,
// however many, show nothing.
func TestUnshown(t *testing.T) {
	t.Parallel()
	const csi, machines = "openshift-cluster-csi-drivers", "openshift-machine-api"
	for name, tt := range map[string]struct {
		secrets, namespaces []string
		whole               bool
		asked, want         []string
	}{
		"all there":                      {secrets: []string{csi, machines}, asked: []string{csi, machines}},
		"one is missing":                 {secrets: []string{"kube-system", machines}, asked: []string{csi, machines}, want: []string{csi}},
		"sorted, each once":              {secrets: []string{"kube-system"}, asked: []string{machines, csi, machines}, want: []string{csi, machines}},
		"kube-system for itself":         {secrets: []string{"kube-system"}, asked: []string{"kube-system"}},
		"empty":                          {asked: []string{csi}, want: []string{csi}},
		"no namespace is said":           {secrets: []string{""}, asked: []string{csi}, want: []string{csi}},
		"two others are no whole":        {secrets: []string{"openshift-etcd", "openshift-ingress"}, asked: []string{csi}, want: []string{csi}},
		"ten others are no whole":        {secrets: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, asked: []string{csi}, want: []string{csi}},
		"the API server was asked":       {whole: true, asked: []string{csi, machines}},
		"listed, and not there":          {secrets: []string{"default"}, namespaces: []string{"default", csi}, asked: []string{machines}},
		"listed, there, without secrets": {secrets: []string{"default"}, namespaces: []string{"default", csi}, asked: []string{csi, machines}, want: []string{csi}},
		"listed, and a secret of it":     {secrets: []string{csi}, namespaces: []string{csi}, asked: []string{csi}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "kind: List\nitems:\n- {kind: ConfigMap, metadata: {name: x}}\n"
			for _, namespace := range tt.secrets {
				text += "- {kind: Secret, metadata: {name: a, namespace: '" + namespace + "'}}\n"
			}
			for _, namespace := range tt.namespaces {
				text += "- {kind: Namespace, metadata: {name: " + namespace + "}}\n"
			}
			c, faults, err := Read("dump.yaml", []byte(text))
			if err != nil || len(faults) > 0 {
				t.Fatal(faults, err)
			}
			c.Whole = tt.whole
			if got := c.Unshown(tt.asked); !slices.Equal(got, tt.want) {
				t.Errorf("%q is not shown, want %q", got, tt.want)
			}
		})
	}
}
