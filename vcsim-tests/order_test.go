package vcsimtests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdOrder is the other teams: order do FILE runs the govc blocks of a work order with the real govc, one vCenter's
// administrator each, typing $NEW_PASSWORD for every new account; order take FILE LANGUAGE TO saves the first block of a
// language, with that password where one is to be filled in.
func cmdOrder(ts *testscript.TestScript, neg bool, args []string) {
	order := ts.ReadFile(args[1])
	if args[0] == "take" {
		text := strings.ReplaceAll(orderBlocks(order, args[2])[0], "password = `...`", "password = `"+ts.Getenv("NEW_PASSWORD")+"`")
		ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(text), 0o600))
		return
	}
	path, err := govc()
	ts.Check(err)
	prefix := ""
	if strings.Contains(order, "govc tags.") { // the narrow one has no such commands
		wide, err := wideGovc()
		ts.Check(err)
		prefix = "govc() { '" + wide + "' \"$@\"; }\n"
	}
	ts.Setenv("PATH", filepath.Dir(path)+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	ts.Setenv("GOVC_USERNAME", ts.Getenv("ADMIN"))
	ts.Setenv("GOVC_PASSWORD", ts.Getenv("ADMIN_PASSWORD"))
	ts.Setenv("GOVC_TLS_CA_CERTS", ts.MkAbs("ca.pem"))
	typed := strings.Repeat(ts.Getenv("NEW_PASSWORD")+"\n", 10)
	for i, block := range orderBlocks(order, "bash") {
		if !strings.Contains(block, "govc ") {
			continue
		}
		for n, v := range benchOf(ts).lab.VCenters {
			if url := "'https://" + v.Server() + "'"; strings.Contains(block, url) {
				ts.Setenv("GOVMOMI_HOME", ts.MkAbs(fmt.Sprintf("govmomi%d", n)))
				block = strings.ReplaceAll(block, url, "'https://"+v.Addr()+"'")
			}
		}
		script, in := ts.MkAbs(fmt.Sprintf("order%d.sh", i)), ts.MkAbs("typed")
		ts.Check(os.WriteFile(script, []byte(prefix+block), 0o600))
		ts.Check(os.WriteFile(in, []byte(typed), 0o600))
		ts.Check(ts.Exec("bash", "-c", `exec bash "$0" <"$1"`, script, in))
	}
}

func orderBlocks(order, language string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^(```+)"+language+"\n(.*?)^```+$").FindAllStringSubmatch(order, -1) {
		all = append(all, m[2])
	}
	return all
}
