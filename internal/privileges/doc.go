// Package privileges knows which privilege each OpenShift component needs on which kind of vCenter object, and why.
//
// # The walk of one privilege
//
// Take VirtualMachine.Provisioning.Clone of machine-api. It enters in matrix/enhancement.yaml as one line below a grant of scope
// folder, with the section of the design that lists it. [Load] reads the matrix default, which takes that line over with
// `from: enhancement`, as a [Row]. [Matrix.Grants] asks which rows hold in a cluster (a failure domain without a folder, a vSAN
// file share, ...) and puts those of one scope into a [Grant]. What happens next is not done here: the grant's scope becomes
// inventory paths, its privileges a role, both together a permission, and verification compares the account's effective
// rights with the same Grant. So a privilege that is missing or too much on a vCenter is cured by one line of YAML.
//
// Two checks run beside that walk. [Matrix.Lint] holds ids against a catalogue: the recorded one ([Catalogue]) or that of a
// live vCenter, since a release may lack an id, and a role with one unknown id is refused as a whole. And [Matrix.Preflight]
// holds the groups that openshift-install itself checks, in its order and under its names.
//
// Beside it stand the ways in which a matrix is handed on. access.RoleSet gives the roles of an assumed failure domain, under
// the names that a plan gives them; [Matrix.Export] writes them for govc, PowerCLI, Terraform and Ansible, or the rows as tables;
// [Diff] compares two matrices. The pages in docs/privileges are written by the same code.
//
// # The shape of a matrix file
//
//	name: mine                      # omitted: the name of the file
//	description: what it is for
//	source: who says so             # stands in for grants without a source; $name is a text from sources
//	as-of: "2026-09-18"
//	releases: ">=4.18 <5.0"         # of OpenShift that it holds for, MAJOR.MINOR; omitted: nobody said
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
//	        grant-conditions: [pool-root]        # where a permission can be set at all; omitted: conditions
//	        evidence: code          # design, code, documentation, user report, inferred, release
//	        source: $docs, table 2.11
//	        why: file volumes are checked per cluster
//	        privileges:
//	          - Host.Config.Storage
//	          - id: Host.Config.Nothing          # why, source, evidence of its own
//	            unknown: true                    # no vCenter has it: shown, never sent
//	            why: ...
//
// A field that is not listed here is an error that names its line and the nearest field that is. Rows are never replaced: the same
// privilege twice at one scope with one propagation is an error, so what a component gets is what its file says.
package privileges
