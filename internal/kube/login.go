package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientauth "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
)

// login is the program that a kubeconfig names for logging in. client-go would run it without an end, and with our environment.
type login struct {
	*api.ExecConfig
	info   *clientauth.Cluster // what it is told of the cluster; nil = nothing
	within time.Duration       // how long it may take; a person may log in with a browser
	talk   io.Writer           // where what it says goes; nil = it is dropped
}

// limitLogin is how many bytes a plug-in may print.
const limitLogin = 1 << 20

// newLogin takes the plug-in out of a configuration; nil where there is none.
func newLogin(config *rest.Config) (*login, error) {
	l := &login{ExecConfig: config.ExecProvider, within: 2 * time.Minute}
	switch {
	case l.ExecConfig == nil || config.BearerToken != "" || config.Username != "" || config.CertFile != "" || config.CertData != nil:
		config.ExecProvider = nil // as client-go has it
		return nil, nil           //nolint:nilnil // none is a fine answer
	case l.InteractiveMode == api.AlwaysExecInteractiveMode:
		return nil, fmt.Errorf("login plug-in %s asks on the terminal, which it does not get: use a kubeconfig with a token", l.Command)
	case l.ProvideClusterInfo:
		of, err := rest.ConfigToExecCluster(config)
		if err != nil {
			return nil, err
		}
		l.info = &clientauth.Cluster{
			Server: of.Server, TLSServerName: of.TLSServerName, InsecureSkipTLSVerify: of.InsecureSkipTLSVerify, ProxyURL: of.ProxyURL,
			CertificateAuthorityData: of.CertificateAuthorityData, Config: runtime.RawExtension{Object: of.Config},
		}
	}
	config.ExecProvider = nil
	return l, nil
}

// run runs the plug-in, as a group of its own, without the terminal and what our environment has for vCenter. No error has what it
// wrote, or its words.
func (l *login) run(ctx context.Context) (*clientauth.ExecCredentialStatus, error) {
	path, err := program.Find(l.Command)
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(clientauth.ExecCredential{
		TypeMeta: metav1.TypeMeta{APIVersion: l.APIVersion, Kind: "ExecCredential"}, Spec: clientauth.ExecCredentialSpec{Cluster: l.info},
	})
	if err != nil {
		return nil, err
	}
	env := []string{"KUBERNETES_EXEC_INFO=" + string(asked)}
	for _, v := range l.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	out := &program.Limited{Most: limitLogin}
	err = program.Command{Path: path, Args: l.Args, Env: env, Out: out, Err: l.talk, Patience: l.within, Grace: program.Grace}.Run(ctx)
	var answer clientauth.ExecCredential
	switch {
	case out.Over:
		return nil, fmt.Errorf("%s: its output is larger than %d bytes", path, out.Most)
	case err != nil:
		return nil, err
	case json.Unmarshal(out.Text, &answer) != nil || answer.Kind != "ExecCredential" || answer.APIVersion != l.APIVersion || answer.Status == nil:
		return nil, fmt.Errorf("%s: its output is not an ExecCredential of %s as JSON", path, l.APIVersion)
	case answer.Status.Token == "" && (answer.Status.ClientCertificateData == "" || answer.Status.ClientKeyData == ""):
		return nil, errors.New(path + ": its output has neither a token nor a certificate with its key")
	}
	return answer.Status, nil
}
