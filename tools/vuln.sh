#!/usr/bin/env bash
# tools/vuln.sh: govulncheck over both programs, with Go's database of vulnerabilities, or a copy of it where GOVULNDB names one
# (file:///DIR). Where the database cannot be reached it says so and is content, but with VULN=required.
set -euo pipefail
govulncheck=v1.9.0
database=${GOVULNDB:-https://vuln.go.dev}
curl --silent --show-error --fail --location --max-time 20 --output /dev/null "$database/index/db.json" || {
  echo "skipped: the database of vulnerabilities at $database cannot be reached; GOVULNDB=file:///DIR names a copy" >&2
  [ "${VULN:-}" != required ]
  exit
}
exec go run "golang.org/x/vuln/cmd/govulncheck@$govulncheck" -db "$database" ./cmd/...
