package spec

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// vcenterSource is a vCenter as a file says it, with the places of everything that can be wrong.
type vcenterSource struct {
	server, address yamldoc.Text
	port            int
	portAt          yamldoc.Place
	maxPort         int
	accounts        map[component.Name]string
	domains         []domainSource
}

// vcenters checks and completes the vCenters of a file and their failure domains.
func (r *reader) vcenters(sources []vcenterSource) []VCenter {
	var list []VCenter
	servers, domains := map[string]yamldoc.Text{}, map[string]yamldoc.Text{}
	for _, src := range sources {
		vc := VCenter{Server: src.server.Value, Port: src.port, Accounts: src.accounts}
		r.require(src.server)
		if vc.Server != "" {
			if err := checkServer(vc.Server); err != nil {
				r.At(src.server.Place, "%v", err)
			}
			r.unique(servers, src.server, serverKey(vc.Server), "vCenter "+shown(vc.Server))
		}
		if src.port < 1 || src.port > src.maxPort {
			r.At(src.portAt, "%d is not a port: 1 to %d", src.port, src.maxPort)
		}
		if src.address.Value != "" {
			address, err := checkAddress(src.address.Value, vc.Port)
			if err != nil {
				r.At(src.address.Place, "%v", err)
			}
			vc.Address = address
		}
		for _, d := range src.domains {
			r.require(d.name)
			if d.name.Value != "" {
				r.unique(domains, d.name, d.name.Value, "failure domain "+hint.Quote(d.name.Value))
			}
			vc.FailureDomains = append(vc.FailureDomains, r.domain(d))
		}
		list = append(list, vc)
	}
	return list
}

// unique reports a second value with the same key.
func (r *reader) unique(seen map[string]yamldoc.Text, t yamldoc.Text, key, what string) {
	if first, twice := seen[key]; twice {
		r.At(t.Place, "%s is named twice, first on line %d", what, first.Line)
		return
	}
	seen[key] = t
}

// shown is quote for a server name, which may be a URL with a password in it.
func shown(server string) string {
	if strings.Contains(server, "@") {
		return "(hidden)"
	}
	return hint.Quote(server)
}

// serverKey identifies a server. Case and port do not matter, because credentials, secrets and
// certificates know one name only.
func serverKey(server string) string {
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		server = u.Host
	}
	if host, _, err := net.SplitHostPort(server); err == nil {
		server = host
	}
	server = strings.TrimSuffix(strings.TrimPrefix(server, "["), "]")
	if ip, err := netip.ParseAddr(server); err == nil {
		return ip.String()
	}
	return strings.ToLower(strings.TrimSuffix(server, "."))
}

var (
	hostName  = pattern.Of(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$`)
	allDigits = pattern.Of(`^([0-9]+\.)*[0-9]+$`)
)

// checkServer accepts a host name or an IP address. Its errors never repeat text around an @.
func checkServer(server string) error {
	if credfile.Assisted(server) {
		return credfile.ErrNotConnected
	}
	if strings.Contains(server, "://") {
		if u, err := url.Parse(server); err == nil && hostName().MatchString(u.Hostname()) {
			return fmt.Errorf("is a URL: write only the host name, %s", u.Hostname())
		}
		return errors.New("is a URL: write only the host name")
	}
	if strings.Contains(server, "@") {
		return errors.New("contains an @: write only the host name, without a user")
	}
	if strings.Contains(server, "/") {
		return fmt.Errorf("%s contains a path: write only the host name", hint.Quote(server))
	}
	if ip, err := netip.ParseAddr(server); err == nil && ip.Zone() == "" {
		return nil
	}
	if host, port, err := net.SplitHostPort(server); err == nil {
		return fmt.Errorf("%s contains a port: write %s, and the port %s in its own field",
			hint.Quote(server), hint.Quote(host), hint.Quote(port))
	}
	if strings.HasPrefix(server, "[") {
		return fmt.Errorf("%s contains brackets: write the IPv6 address without them", hint.Quote(server))
	}
	if strings.HasSuffix(server, ".") {
		return fmt.Errorf("%s ends with a dot: write it without the dot, as in the certificate", hint.Quote(server))
	}
	if allDigits().MatchString(server) {
		return fmt.Errorf("%s is not an IP address", hint.Quote(server))
	}
	if len(server) > 253 || !hostName().MatchString(server) {
		return fmt.Errorf("%s is not a host name: letters, digits, hyphens and dots", hint.Quote(server))
	}
	return nil
}

// checkAddress gives host:port, with the vCenter's own port when there is none.
func checkAddress(address string, port int) (string, error) {
	host, p, err := net.SplitHostPort(address)
	if strings.Contains(address, "://") || strings.Contains(address, "@") {
		return "", checkServer(address)
	}
	if err != nil {
		host, p = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"), strconv.Itoa(port)
	}
	if err := checkServer(host); err != nil {
		return "", err
	}
	if _, err := parsePort(p); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, p), nil
}

func parsePort(s string) (int, error) {
	port, err := strconv.Atoi(s)
	if err != nil || port < 1 || port > 65535 || s[0] == '+' {
		return 0, fmt.Errorf("%s is not a port: 1 to 65535", hint.Quote(s))
	}
	return port, nil
}

// Unbracketed is an IPv6 address without the brackets that it has in URLs; other text stays as it is.
func Unbracketed(server string) string {
	inner, ok := strings.CutPrefix(server, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if _, err := netip.ParseAddr(inner); ok && closed && err == nil {
		return inner
	}
	return server
}

// fromServer understands "host", "host:port" and "[address]".
func fromServer(name string) (VCenter, error) {
	vc := VCenter{Server: Unbracketed(name), Port: DefaultPort}
	if name == "" {
		return vc, errors.New("a vCenter name is empty")
	}
	if host, p, err := net.SplitHostPort(name); err == nil && !strings.Contains(name, "/") &&
		!strings.Contains(name, "@") {
		port, err := parsePort(p)
		if err != nil {
			return vc, fmt.Errorf("vCenter %s: %w", hint.Quote(name), err)
		}
		vc.Server, vc.Port = host, port
	}
	if err := checkServer(vc.Server); err != nil {
		return vc, fmt.Errorf("vCenter %s: %w", shown(name), err)
	}
	return vc, nil
}

// WithTopology returns a copy with the vCenters and failure domains of another specification of the
// cluster. It keeps addresses and named accounts of vCenters.
func (s *Spec) WithTopology(from *Spec) *Spec {
	want := *s
	want.VCenters = nil
	for _, vc := range from.VCenters {
		vc.Address, vc.Accounts = "", nil
		if own := s.find(serverKey(vc.Server)); own != nil {
			vc.Address, vc.Accounts = own.Address, own.Accounts
		}
		want.VCenters = append(want.VCenters, vc)
	}
	return &want
}

// SetTopology writes the vCenters and failure domains of another specification into a provisioning
// file. It rewrites the field vcenters, without its comments, if they differ, and keeps other
// bytes. An error is returned if the result reads differently. name stands for the path.
func SetTopology(name string, data []byte, from *Spec) ([]byte, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	if before.Cluster != from.Cluster {
		return nil, hint.Errorf("give what is about the same cluster",
			"%s is about cluster %s, not about %s", name, before.Cluster, from.Cluster)
	}
	if len(Differences(before, from)) == 0 {
		return data, nil
	}
	want := before.WithTopology(from)
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	key, value := fieldOf(doc.Content[0], "vcenters")
	byHand := fmt.Errorf("%s: edit this file by hand", name)
	if key == nil { // it is behind an alias
		return nil, byHand
	}
	t := yamldoc.NewLines(data)
	vcenters := string(encoded(struct {
		VCenters []fileVCenter `yaml:"vcenters"`
	}{want.fileVCenters()}))
	out := []byte(t.Text[:t.Start(key.Line)] + strings.ReplaceAll(vcenters, "\n", t.NL) + t.Text[t.Start(last(value)+1):])
	if after, err := Parse(name, out); err != nil || !reflect.DeepEqual(after, want) {
		return nil, byHand
	}
	return out, nil
}

// last is the last known line of a node; for a text of several lines, its first.
func last(n *yaml.Node) int {
	end := n.Line
	for _, part := range n.Content {
		end = max(end, last(part))
	}
	return end
}
