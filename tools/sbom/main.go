// Command sbom prints what a Go program was built from, by the record that the toolchain left in it, as CycloneDX 1.5 in JSON. VERSION is
// the program's own, and SOURCE_DATE_EPOCH in the environment its time: for the same program, version and time it is the same text.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
}

type document struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

func main() {
	if len(os.Args) != 3 {
		fail("usage: sbom PROGRAM VERSION")
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		fail("SOURCE_DATE_EPOCH: " + err.Error())
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	info.Main.Version = os.Args[2]
	d := of(info)
	d.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	if err := out.Encode(d); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "sbom:", why)
	os.Exit(1)
}

// of lists the modules, and Go's standard library as scanners call it.
func of(info *debug.BuildInfo) document {
	d := document{Format: "CycloneDX", Spec: "1.5", Version: 1}
	d.Metadata.Component = module("application", info.Main.Path, info.Main.Version)
	d.Components = []component{module("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, module("library", m.Path, m.Version))
	}
	return d
}

func module(kind, path, version string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{kind, url, path, version, url}
}
