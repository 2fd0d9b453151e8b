package cli

import (
	"errors"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const connectToFlag = "connect-to"

// addressFlag says under which other address a server is reached.
type addressFlag struct {
	Words []string // --connect-to server=host:port

	level origin
}

// Register adds the flag to cmd.
func (a *addressFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.Words, connectToFlag, nil, "connect to a server at another address: server=host:port (repeatable)")
	a.level = originOf(cmd.Flags())
	markSettings(cmd, connectToFlag)
}

// parse gives the addresses by server.
func (a *addressFlag) parse() (map[string]string, error) {
	return pairs(connectToFlag, "server=host:port", a.Words)
}

// settled reports whether a setting gave them: it may be about vCenters that are not meant this time.
func (a *addressFlag) settled() bool { return a.level.of(connectToFlag, true) != ofCommandLine }

// apply sets the addresses of the vCenters of s.
func (a *addressFlag) apply(s *spec.Spec) error {
	addresses, err := a.parse()
	if err != nil {
		return err
	}
	var errs []error
	for _, server := range sortedKeys(addresses) {
		if err := oneOf(server, servers(s.Whole())); err != nil { // linked ones are read, too
			if !a.settled() {
				errs = append(errs, badFlag(connectToFlag, "%w", err))
			}
			continue
		}
		for i := range s.VCenters {
			if s.VCenters[i].Server == server {
				s.VCenters[i].Address = addresses[server]
			}
		}
		errs = append(errs, checkAddress(server, addresses[server]))
	}
	return errors.Join(errs...)
}

func checkAddress(server, address string) error {
	if !isHostPort(address) {
		return badFlag(connectToFlag, "%s=%s: must be server=host:port", server, address)
	}
	return nil
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	n, convErr := strconv.Atoi(port)
	return err == nil && convErr == nil && host != "" && n > 0 && n < 65536
}
