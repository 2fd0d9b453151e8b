package report

import (
	"bytes"
	"encoding/csv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CSV is a line for each finding, the worst first. No cell is a formula to a spreadsheet.
func (r *Report) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"severity", "code", "subject", "place", "found", "remedy", "accepted"}}
	for _, f := range r.foundRows() {
		rows = append(rows, []string{
			string(f.Severity), string(f.Code), f.Subject, strings.Join(f.Places, "; "), f.Text,
			strings.Join(f.Remedies, "; "), f.Exception.String(),
		})
	}
	for _, row := range rows {
		for i, cell := range row {
			if cell = term.Shown(cell, ""); strings.IndexAny(cell, "=+-@") == 0 {
				cell = "'" + cell
			}
			row[i] = cell
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" +
	"sarif-schema-2.1.0.json"

type object = map[string]any

// SARIF is the findings as SARIF 2.1.0: a rule for each code, a result for each finding, with an
// external suppression where an exception accepts it. Source: OASIS, SARIF 2.1.0 with errata 01.
func (r *Report) SARIF() ([]byte, error) {
	rules, results, unread := []object{}, []object{}, []object{}
	index := map[finding.Code]int{}
	text := func(s string) object { return object{"text": s} }
	for _, f := range r.foundRows() {
		if _, known := index[f.Code]; !known {
			index[f.Code] = len(rules)
			about, _ := finding.Explain(f.Code)
			rules = append(rules, object{
				"id": f.Code, "fullDescription": text(about.Means), "help": text(about.Remedy),
				"defaultConfiguration": object{"level": about.Severity},
			})
		}
		logical := []object{}
		for _, place := range f.Places {
			logical = append(logical, object{"fullyQualifiedName": place, "kind": "resource"})
		}
		said := append([]string{f.Subject + ": " + f.Text}, f.Remedies...)
		result := object{
			"ruleId": f.Code, "ruleIndex": index[f.Code], "level": f.Severity,
			"message":   text(strings.Join(said, "\n")),
			"locations": []object{{"logicalLocations": logical}},
			"partialFingerprints": object{
				"finding/v1": strings.Join(append([]string{string(f.Code), f.Subject}, f.Servers...), "|"),
			},
		}
		if f.Exception != nil {
			result["suppressions"] = []object{
				{"kind": "external", "status": "accepted", "justification": f.Exception.String()},
			}
		}
		results = append(results, result)
	}
	for _, v := range r.VCenters {
		if v.Error != "" {
			unread = append(unread, object{
				"level": "error", "message": text(v.Server + " was not read to its end: " + v.Error),
			})
		}
	}
	name, version, _ := strings.Cut(r.Tool, " ")
	return term.JSON(object{
		"$schema": sarifSchema,
		"version": "2.1.0",
		"runs": []object{{
			"tool":              object{"driver": object{"name": name, "version": version, "rules": rules}},
			"automationDetails": object{"id": "access/" + r.Cluster + "/"},
			"invocations": []object{{
				"executionSuccessful": len(unread) == 0, "endTimeUtc": r.Made,
				"toolExecutionNotifications": unread,
			}},
			"results": results,
		}},
	})
}
