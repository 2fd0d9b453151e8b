package command

import (
	"errors"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ConnectToFlag is the name of the flag for other addresses.
const ConnectToFlag = "connect-to"

// AddressFlag says under which other address a server is reached.
type AddressFlag struct {
	Words []string // --connect-to server=host:port

	level Origin
}

// Register adds the flag to cmd.
func (a *AddressFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.Words, ConnectToFlag, nil, "connect to a server at another address: server=host:port (repeatable)")
	a.level = OriginOf(cmd.Flags())
	MarkSettings(cmd, ConnectToFlag)
}

// Parse gives the addresses by server.
func (a *AddressFlag) Parse() (map[string]string, error) {
	return Pairs(ConnectToFlag, "server=host:port", a.Words)
}

// Settled reports whether a setting gave them: it may be about vCenters that are not meant this time.
func (a *AddressFlag) Settled() bool { return a.level.of(ConnectToFlag, true) != OfCommandLine }

// Apply sets the addresses of the vCenters of s.
func (a *AddressFlag) Apply(s *spec.Spec) error {
	addresses, err := a.Parse()
	if err != nil {
		return err
	}
	var errs []error
	for _, server := range SortedKeys(addresses) {
		if err := OneOf(server, Servers(s.Whole())); err != nil { // linked ones are read, too
			if !a.Settled() {
				errs = append(errs, BadFlag(ConnectToFlag, "%w", err))
			}
			continue
		}
		for i := range s.VCenters {
			if s.VCenters[i].Server == server {
				s.VCenters[i].Address = addresses[server]
			}
		}
		errs = append(errs, CheckAddress(server, addresses[server]))
	}
	return errors.Join(errs...)
}

// CheckAddress refuses an address that is not host:port.
func CheckAddress(server, address string) error {
	if !IsHostPort(address) {
		return BadFlag(ConnectToFlag, "%s=%s: must be server=host:port", server, address)
	}
	return nil
}

// IsHostPort reports whether s is host:port, with a port from 1 to 65535.
func IsHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	n, convErr := strconv.Atoi(port)
	return err == nil && convErr == nil && host != "" && n > 0 && n < 65536
}
