// Package privileges knows which privilege each OpenShift component needs on which kind of vCenter
// object, and why.
//
// # The walk of one privilege
//
// VirtualMachine.Provisioning.Clone of machine-api enters in matrix/enhancement.yaml as a line below
// a grant of scope folder, with its section of the design. [Load] reads the matrix default, which
// takes that line over with `from: enhancement`, as a [Row]. [Matrix.Grants] selects the rows that
// hold in a cluster and groups those of one scope in a [Grant]. Other packages turn its scope into
// inventory paths and its privileges into a role, both into a permission, and verify accounts with
// the same Grant. So one line of YAML corrects a missing or excess privilege.
//
// [Matrix.Lint] compares ids with a catalogue: the recorded one ([Catalogue]) or a live vCenter's,
// which refuses a role with one unknown id. [Matrix.Preflight] holds the groups that
// openshift-install checks, in its order and under its names.
//
// access.RoleSet gives the roles of an assumed failure domain, named as in a plan; [Matrix.Export]
// writes them for govc, PowerCLI, Terraform and Ansible, or the rows as tables; [Diff] compares two
// matrices. The pages in docs/privileges are written by the same code.
//
// # The shape of a matrix file
//
//	name: mine                      # omitted: the name of the file
//	description: what it is for
//	source: who says so             # of grants without one; $name is a text from sources
//	as-of: "2026-09-18"
//	releases: ">=4.18 <5.0"         # of OpenShift, MAJOR.MINOR; omitted: all
//	sources:
//	  docs: OpenShift Container Platform 4.22, Installing on VMware vSphere
//	notes: [a sentence, ...]
//	ancestors:                      # read access on the containers above each granted object
//	  components: [csi-driver]
//	  privileges: [System.Read]
//	  why: ...
//	  source: ...
//	components:
//	  csi-driver:
//	    upstream: storage           # what the source calls the component
//	    stated: ~10-15              # how many privileges the source says that it needs
//	    from: enhancement           # starts with the rows of an embedded matrix; or
//	    # like: machine-api         # with the rows of another component of this file
//	    grants:
//	      - scope: cluster          # see Scopes
//	        propagate: true         # always said, never assumed
//	        conditions: [vsan-file, pool-root]   # one of them is enough; omitted: always
//	        grant-conditions: [pool-root]        # where it can be set; omitted: conditions
//	        evidence: code          # design, code, documentation, user report, inferred, release
//	        source: $docs, table 2.11
//	        why: file volumes are checked per cluster
//	        privileges:
//	          - Host.Config.Storage
//	          - id: Host.Config.Nothing          # why, source, evidence of its own
//	            unknown: true                    # no vCenter has it: shown, never sent
//	            why: ...
//
// An unlisted field is an error with its line and the nearest listed field. Rows are never replaced:
// the same privilege twice at one scope with one propagation is an error.
package privileges
