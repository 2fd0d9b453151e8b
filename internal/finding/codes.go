package finding

import "slices"

// The codes of accounts on vCenters, by `plan`, `apply`, `verify`, `users list` and `rotate`.
const (
	LostPassword       Code = "lost-password"
	OutdatedPassword   Code = "outdated-password"
	RenamedVCenter     Code = "renamed-vcenter"
	UnfinishedRotation Code = "unfinished-rotation"
	BegunRotation      Code = "begun-rotation"
	AnnouncedRotation  Code = "announced-rotation"
	OlderFile          Code = "older-file"
	AccountGone        Code = "account-gone"
	ExpiringPassword   Code = "expiring-password"
	ExpiringAdopted    Code = "expiring-adopted"
	BlockedRotation    Code = "blocked-rotation"
	StaysBehind        Code = "stays"
	NotAsSpecified     Code = "not-as-specified"
	StillNeeded        Code = "still-needed"
	Consequence        Code = "consequence"
	SharedPlace        Code = "shared-place"
	WholeDatacenter    Code = "whole-datacenter"
	NoNetwork          Code = "no-network"
	OmittedPrivilege   Code = "omitted-privilege"
	PlanNote           Code = "plan-note"
	UnableComponent    Code = "unable-component"
	EncryptedMachines  Code = "encrypted-machines"
	AdministratorFound Code = "administrator"
	UnseenAccounts     Code = "unseen-accounts"
	GlobalPermission   Code = "global-permission"
	SharedGroup        Code = "shared-group"
	FormerGroup        Code = "former-group"
	UnseenGlobal       Code = "unseen-global-permissions"
	UnknownBefore      Code = "unknown-before"
	UntestedPassword   Code = "untested-password"
	OldSessions        Code = "old-sessions"
	NoPassword         Code = "no-password"

	InstallConfigDiffers Code = "install-config-differs"
	InstallConfigRefused Code = "install-config-refused"

	NotInCluster   Code = "not-in-cluster"
	OnlyInCluster  Code = "only-in-cluster"
	ClusterDiffers Code = "cluster-differs"
	ClusterRefuses Code = "cluster-refuses"
)

// The codes of what `verify` finds on vCenters.
const (
	AbsentAccount     Code = "absent-account"
	RefusedAccount    Code = "refused-account"
	UnverifiedAccount Code = "unverified-account"
	ComputedRights    Code = "computed-rights"
	MissingPrivileges Code = "missing-privileges"
	ExcessPrivileges  Code = "excess-privileges"
	UnknownPrivileges Code = "unknown-privileges"
	FailedPreflight   Code = "failed-preflight"
	MissingTags       Code = "missing-tags"
	WrongTags         Code = "wrong-tags"
	UncheckedTags     Code = "unchecked-tags"
	OwnView           Code = "own-view"

	StrangerAdministers Code = "stranger-administers"
	StrangerChanges     Code = "stranger-changes"
	ExpiredException    Code = "expired-exception"
	UnusedException     Code = "unused-exception"
	OtherSpecification  Code = "other-specification"
)

// The codes of the secrets of a cluster, by `secrets explain`.
const (
	SecretMissing   Code = "secret-missing"
	SecretMalformed Code = "secret-malformed"
	SecretShadowed  Code = "secret-shadowed"
	SecretDiffers   Code = "secret-differs"
	SecretVCenter   Code = "secret-vcenter"
	SecretFallback  Code = "secret-fallback"
	SecretOfAnother Code = "secret-of-another"
	SecretStale     Code = "secret-stale"
	SecretUnseen    Code = "secret-unseen"
	SecretNote      Code = "secret-note"
	AnotherCluster  Code = "another-cluster"
)

// The codes of what cloud-credential-operator says of its own work, by `doctor`.
const (
	RequestFailing   Code = "request-failing"
	OperatorDegraded Code = "operator-degraded"
	OperatorHolds    Code = "operator-holds"
	OperatorLabels   Code = "operator-labels"
)

// The codes of the cluster identities of Cluster API, by `identity check`.
const (
	IdentityMissing   Code = "identity-missing"
	IdentityMalformed Code = "identity-malformed"
	IdentityShared    Code = "identity-shared"
	IdentityUndecided Code = "identity-undecided"
	IdentityNobody    Code = "identity-nobody"
	IdentityEverybody Code = "identity-everybody"
	IdentityInUse     Code = "identity-in-use"
	IdentityDiffers   Code = "identity-differs"
	IdentityZone      Code = "identity-zone"
	IdentityNote      Code = "identity-note"
)

// The codes of a credentials file, by `credentials validate`.
const (
	FileUnread         Code = "file-unread"
	FileMissing        Code = "file-missing"
	FileMisread        Code = "file-misread"
	FileAmbiguous      Code = "file-ambiguous"
	FileNote           Code = "file-note"
	SectionMissing     Code = "section-missing"
	SectionUnasked     Code = "section-unasked"
	SectionName        Code = "section-name"
	AccountMissing     Code = "account-missing"
	AccountFallback    Code = "account-fallback"
	AccountHalf        Code = "account-half"
	AccountForm        Code = "account-form"
	AccountPlaceholder Code = "account-placeholder"
	AccountInherits    Code = "account-inherits"
	AccountOther       Code = "account-other"
	AccountShared      Code = "account-shared"
	LoginRefused       Code = "login-refused"
)

// About is what a code means.
type About struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	From     string   `json:"from"`  // the commands that give it
	Means    string   `json:"means"` // what is so, and why
	Remedy   string   `json:"remedy"`
}

// Explain gives what a code means.
func Explain(c Code) (About, bool) {
	i := slices.IndexFunc(table, func(a About) bool { return a.Code == c })
	if i < 0 {
		return About{}, false
	}
	return table[i], true
}

// Codes are all codes with what they mean, by the command that gives them.
func Codes() []About { return slices.Clone(table) }

const (
	ofAccounts      = noteOfAccounts + ", doctor" // which makes a plan, and leaves out its notes
	ofPlan          = noteOfPlan + ", doctor"
	ofGlobal        = noteOfGlobal + ", doctor"
	noteOfAccounts  = "plan, apply, destroy, verify, users, roles, permissions, rotate"
	noteOfPlan      = "plan, apply"
	noteOfGlobal    = noteOfPlan + ", verify"
	ofInstallConfig = ofAccounts + ", credentials, secrets emit"
	ofStatus        = "rotate status"
	ofVerify        = "verify"
	ofReport        = "report"
	ofSecrets       = "secrets explain, doctor, verify"
	ofIdentities    = "identity check"
	ofOperator      = "doctor"
	ofFile          = "credentials validate, doctor"
)

var table = []About{
	{LostPassword, Error, ofAccounts, "An account that this tool made exists, and its password is not in the credentials file in use: another file was used before, its variable is not set, or the file is lost.", "Name the file that has it (--credentials-file or VSPHERE_CREDENTIALS_FILE), or import what the cluster's secrets hold (credentials import --secrets). Last of all give it a new password with rotate --in-place: its component is refused until the new secrets are applied."},
	{OutdatedPassword, Error, ofAccounts, "The credentials file has another password of an account than this tool set last: another machine, or another file, gave it a new one in place, the file is an older copy, or somebody edited it.", "Use the file that has the latest (--credentials-file), or import what the cluster's secrets hold (credentials import --secrets - --replace), or replace the account with rotate: its component works on meanwhile. verify confirms a password that somebody set without this tool."},
	{RenamedVCenter, Warning, ofAccounts, "The credentials file has accounts of this cluster for another name of a vCenter: both names answer with one instance UUID, or that name does not answer and its section has the passwords of this vCenter's accounts. It is an error where the passwords are only there.", "Rename the section (credentials rename OLD NEW), then emit the cluster's secrets again under the new name. Until then nothing removes or changes these accounts."},
	{UnfinishedRotation, Error, ofAccounts, "The rotation journal beside the credentials file holds a new password, so a rotation was cut off before it ended.", "Run rotate again: it goes on where the earlier one stopped."},
	{BegunRotation, Note, noteOfAccounts, "An account that a rotation made exists and your credentials file does not use it, or an account that was replaced is still there.", "Apply the new secrets and run rotate finish with proof, or go back with rotate undo."},
	{AnnouncedRotation, Note, noteOfAccounts, "A rotation was interrupted before it created its account: only the rotation journal beside the credentials file has it.", "Continue with rotate, or remove it from the journal with rotate undo."},
	{AccountGone, Error, ofAccounts, "A secret of the cluster holds an account of this tool that does not exist, so whoever reads it is refused.", "Create the account with apply if the credentials file has no other one, then apply the new secrets."},
	{ExpiringPassword, Warning, ofAccounts, "The password of an account expires soon, or has expired. SSO counts by the password policy and does not tell which accounts are exempt from it (Broadcom KB 367383): only verify, which logs in, shows that an account past that day still works, and leaves it out.", "rotate --expiring-within 14d before that day; or have the password policy of the domain changed."},
	{ExpiringAdopted, Warning, ofAccounts, "The password of an account that others look after expires soon, or has expired.", "Ask its owners for the new password, write it into the credentials file, and emit the secrets."},
	{BlockedRotation, Error, ofAccounts, "An account that was asked for or is due cannot be rotated now, or its rotation cannot be finished or undone; the text says why. The others are: exit code 3, or 1 where there are none.", "Do what the text says and run rotate again."},
	{StaysBehind, Error, ofAccounts, "Something that the run was asked to take away or to replace stays; the text says why.", "Remove the reason, or what stays by hand, and run the command again."},
	{NotAsSpecified, Warning, ofAccounts, "Something is not as the specification says, and this run leaves it so; plan --exit-code counts it as a difference.", "Follow the text: most of it is removed by apply --prune."},
	{Consequence, Warning, ofAccounts, "A change has a consequence for those who work with an account or below an object.", "Read it before you confirm the plan."},
	{PlanNote, Note, noteOfAccounts, "Something to know about an account, a role or a permission of the plan.", "Nothing has to be done."},
	{UnableComponent, Warning, ofAccounts, "The accounts are as the matrix asks, and a component cannot do all of its work with that, or cannot see what it is granted there.", "Choose a matrix or a condition that grants it (privileges list), or accept it with --allow unable."},
	{EncryptedMachines, Warning, ofAccounts, "The template or a virtual machine in the folder of a failure domain is encrypted, and the condition vm-encryption is not named: no account is granted what encrypted machines ask for, so no machine is cloned and no volume attached. Up to 2,000 objects are looked at, and not the folder of a whole datacenter.", "Name vm-encryption in privileges.conditions, and apply."},
	{AdministratorFound, Error, ofAccounts, "An account is in a group that administers the vCenter, its SSO domain or its services: it may do everything, or what no permission shows, whatever its roles say.", "Take it out of the group that it was put into, which may be a member of the other: govc sso.group.update -r ACCOUNT GROUP. An administrator's own account stays there: give the component another."},
	{UnseenAccounts, Note, noteOfAccounts, "The administrator may not read the SSO domain, so what concerns its accounts is unknown.", "Use an administrator of the SSO domain for commands that need it, or name accounts that exist as principal."},
	{GlobalPermission, Warning, ofAccounts, "An account of this tool, or a group that it is in, has a global permission: it may do more than the matrix gives it, on every vCenter of the SSO domain. No command of this tool changes one. verify exits with 2.", "Take the account out of the group, or remove the global permission in the vSphere Client, under Administration, Access Control, Global Permissions."},
	{SharedGroup, Warning, ofAccounts, "The group that holds the permissions of an account of this tool (memberOf) has other members: they may do what the component may. verify exits with 2.", "Take them out of the group, or name a group for this account alone."},
	{FormerGroup, Warning, ofAccounts, "A group that the specification no longer names, as memberOf or principal, still has permissions with roles of this cluster. verify exits with 2 if an account of this tool is still a member and has its rights.", "apply takes the account out of the group, and apply --prune takes the permissions back."},
	{UnseenGlobal, Note, noteOfGlobal, "The global permissions of a vCenter are not known: its release has no API for them, or the login may not read them. What they give is part of vCenter's own answer to verify and permissions check all the same; only where it comes from is not known.", "Look in the vSphere Client, under Administration, Access Control, Global Permissions."},
	{UnknownBefore, Note, noteOfAccounts, "What an adopted account had before it was adopted is not recorded: the .displaced file is not there, so the account does not get it back.", "Look whether an earlier copy of the file exists, or give the account back by hand what its owners expect."},
	{UntestedPassword, Warning, ofAccounts, "A vCenter accepted a new password, and no login has proved it there.", "Once the text's reason is gone: credentials validate --login."},
	{OldSessions, Warning, ofAccounts, "Sessions of accounts that were disabled may still be open; they have no permissions once the accounts are removed.", "End them in the vSphere Client, under Monitor, Sessions, or restart the component."},
	{InstallConfigDiffers, Warning, ofInstallConfig, "An install-config names another account for a component on a vCenter than the credentials file has, or has another password of it. openshift-install uses the account of the install-config, and so do all commands that are given one; of two passwords of one user nobody knows which is right, so none is handed out. Commands without it use the credentials file's.", "If the credentials file is right: install-config render writes its accounts into the install-config. If the install-config is right: credentials import --replace INSTALL-CONFIG writes its accounts into the credentials file."},

	{InstallConfigRefused, Warning, ofPlan, "The install-config has something that openshift-install refuses, and accounts can be made for all the same: a path where it wants a network's name, no whole path where it wants one, no network, no datacenters, no region, no zone, no line for the folder that carries the permissions.", "Correct the file as the text says; install-config validate checks it again."},
	{NoPassword, Warning, ofPlan, "The credentials file has no password of an account of others (principal:). It gets its permissions all the same; what hands out secrets fails for its component, and verify cannot log in as it.", "Get the password from the account's owners, as a credentials file, and import it: credentials import FILE."},
	{StillNeeded, Warning, ofPlan, "Virtual machines or volumes need what this plan takes away.", "Move or delete them first, or confirm that the right goes all the same."},
	{SharedPlace, Warning, ofPlan, "Accounts of this cluster and of another one can delete each other's virtual machines, because both have permissions in one folder, or one of them above the other.", "Give each cluster a folder of its own."},
	{NoNetwork, Warning, ofPlan, "A failure domain names no network, so no account has a permission on one: openshift-install and machine-api cannot make machines there. A user-provisioned installation needs none.", "Name the networks, unless people make the machines."},
	{WholeDatacenter, Warning, ofPlan, "A failure domain has no folder, so the permissions of its folder are set on the datacenter and reach every virtual machine in it.", "Set folder, here and in the install-config, and let --create-folders create it before an installation."},
	{OmittedPrivilege, Warning, ofPlan, "The matrix grants a privilege that this release of vCenter does not know. It is left out.", "Nothing, if the component does not need it on this vCenter; --strict makes it an error."},
	{NotInCluster, Note, noteOfPlan, "The provisioning file has a vCenter or a failure domain that the running cluster does not have. Accounts and what they may do come first, then the cluster's secrets, then the cluster: the other way round its components are refused there. Or the cluster has given it up, and its accounts and permissions are what is left.", "To add it: apply, secrets emit, then oc edit infrastructure cluster. vCenters are added and removed there only with the feature gate VSphereMultiVCenterDay2. If it was given up: destroy --vcenters, or spec update and apply --prune for a failure domain."},
	{OnlyInCluster, Warning, ofPlan, "The running cluster has a vCenter or a failure domain that the provisioning file does not have: nothing is planned for it, and what accounts may do there is left over in the eyes of the file. apply --prune refuses to take it away.", "If it is to stay: spec update. If it is to go: first out of the cluster, then apply --prune, or destroy --vcenters with the earlier file."},
	{ClusterDiffers, Warning, ofPlan, "The provisioning file and the running cluster say something of a vCenter or a failure domain differently: permissions are where the file says, and components work where the cluster says.", "spec diff names all of it, and the command for either direction."},
	{ClusterRefuses, Warning, ofPlan, "The API server will refuse the vCenters of the provisioning file in one update of the Infrastructure.", "Do as the text says: at most three vCenters, and those that come before those that go."},

	{OlderFile, Error, ofStatus, "The credentials file has an account that a later one replaced, and no file here has the password of the later one: the file is an older copy, or the rotation was done on another machine. Other commands refuse to work with such a file.", "Use the file that has the later account (--credentials-file), or import what the cluster's secrets hold (credentials import --secrets - --replace)."},

	{AbsentAccount, Error, ofVerify, "An account that the specification names does not exist on a vCenter.", "apply creates accounts of this tool; the owners of another account (principal:) create it, or correct its name."},
	{RefusedAccount, Error, ofVerify, "An account exists and its component cannot use it: its password is refused or not known here, it is locked, disabled or expired, or it is enabled although the specification disables it.", "Unlock or enable it in the vCenter, or correct its password in the credentials file; do not try often: SSO locks accounts. apply disables what the specification disables."},
	{ComputedRights, Warning, ofVerify, "An administrator who may only read has no passwords of accounts, so what they may do is vCenter's own answer about them, computed from roles and permissions. That they can log in, and find each object, is not proven. verify exits with 2 unless --allow unverified is given.", "Run verify with the credentials file, or accept it with --allow unverified."},
	{UnverifiedAccount, Warning, ofVerify, "Nobody gave the password of an account, so what it may do is not proven. verify exits with 2 unless --allow unverified is given.", "Give the password with --account-passwords FILE or --ask-passwords, or accept it with --allow unverified."},
	{MissingPrivileges, Error, ofVerify, "An account lacks privileges that the matrix asks for on objects that its component needs.", "Run apply, or do what the remedy says: the document names the reason for each object."},
	{ExcessPrivileges, Error, ofVerify, "An account holds privileges that its component does not need, through a role, a group or a permission that is left over.", "Run apply, with --prune for what the specification no longer names, or do what the remedy says."},
	{UnknownPrivileges, Warning, ofVerify, "The matrix asks for privileges that this release of vCenter does not know. verify exits with 2 if --strict is given.", "Use a newer release of vCenter, or accept what the component cannot do."},
	{OwnView, Note, ofVerify, "Nobody but the accounts themselves looked (verify --secrets, --kubeconfig): an account is told what it holds on an object, and neither through which permission nor whether that reaches what is made there later. It does not see its groups, the rights of others, and objects without ReadOnly on the way.", "Nothing has to be done. verify with a vSphere administrator's login says what mends a difference."},
	{FailedPreflight, Error, ofVerify, "A check that openshift-install makes before an installation fails with these accounts.", "Run apply if privileges are missing; else choose a matrix that grants what the check asks for (privileges list)."},
	{MissingTags, Warning, ofGlobal, "A cluster with several failure domains needs tags of the categories openshift-region and openshift-zone on their datacenters and clusters: openshift-install refuses to install without them, and the problem detector reports it. The exit code stays as it is.", "Run apply with --create-tags, or attach them in the vSphere Client."},
	{WrongTags, Warning, ofGlobal, "A failure domain has another tag of openshift-region or openshift-zone than the specification says, or the specification asks for two on one object: machines and volumes are placed by what vCenter says. The exit code stays as it is.", "Correct the specification, or detach the tag if nothing else uses it and run apply with --create-tags."},
	{UncheckedTags, Note, noteOfGlobal, "The zone of a failure domain is a host group, so the tag of its zone belongs on the hosts of the group. Which hosts those are is not in the specification, so their tags are not checked.", "Look in the vSphere Client whether each host of the group has the tag."},

	{AnotherCluster, Error, "verify, doctor, rotate status", "The secrets that were given (--secrets, --kubeconfig) are those of another cluster than the specification's, so they say nothing of this one, and no command is printed that would write there.", "Give the secrets of this cluster, or the specification of that one."},
	{StrangerAdministers, Warning, ofReport, "Somebody who is not of the cluster may give rights on an object of it, or above one, or edit roles: what the report proves of the cluster's accounts can be undone by them. report --exit-code exits with 2 unless --allow strangers is given.", "Take the permission away if nobody works with it, or let its owner accept it in the file of --exceptions."},
	{StrangerChanges, Warning, ofReport, "Somebody who is not of the cluster may change an object that it uses, by a permission on it or above it. report --exit-code exits with 2 unless --allow strangers is given.", "Take the permission away if nobody works with it, or let its owner accept it in the file of --exceptions."},
	{ExpiredException, Warning, ofReport, "An exception of the file of --exceptions has expired: it accepts nothing any more, and what it accepted counts again. report --exit-code exits with 2.", "Mend what it accepted, or have its owner decide again and give it a later day; remove it if nothing needs it."},
	{UnusedException, Note, ofReport, "An exception of the file of --exceptions accepts nothing in this report: what it accepted is mended, or its subject, vCenter, objects or privileges are not those of a finding. It is told where all of the cluster was read.", "Remove it, correct its words by those of the finding, or name the cluster that it is for."},
	{OtherSpecification, Warning, ofReport, "The plan that was approved (--plan) was made from another specification or matrix than this report measures by, so nobody approved what these ask for. report --exit-code exits with 2.", "Name the plan of this specification, or have a new one approved: plan -f FILE --out PLAN."},
	{SecretMissing, Error, ofSecrets, "No Secret gives a component an account.", "Write it with secrets emit, and apply it."},
	{SecretMalformed, Error, ofSecrets, "A name, key, value or annotation of a Secret is not what its reader takes, so that a component stumbles over it or does not find it.", "Correct it as the text says, or write the Secret anew with secrets emit."},
	{SecretShadowed, Warning, ofSecrets, "The Secret is there and is not looked at, or not for long.", "Remove it, or correct its label, annotation or name."},
	{SecretDiffers, Warning, ofSecrets, "What a component reads now is not what cloud-credential-operator would copy; that is right in Manual mode only.", "Compare with secrets diff, and apply the Secret that is meant."},
	{SecretVCenter, Error, ofSecrets, "A name leads to another vCenter than the Secret records, or that cannot be checked: its password would go to a vCenter that it was not meant for.", "Correct the name resolution or --connect-to; after a vCenter was really replaced, emit the Secret again with --vcenter-ids."},
	{SecretFallback, Error, ofSecrets, "A component works with the account that is there for all, although others, or it, have a Secret of their own: that one was deleted, or the operator of the cluster does not know such Secrets. Nobody reports an error.", "Write the Secret with secrets emit, and apply it; a released operator needs Manual mode. If it is meant, name the component: --allow fallback=COMPONENT."},
	{SecretOfAnother, Error, ofSecrets, "A component gets the account of another: by a wrong annotation, or because the Secret that it falls back to holds that one. It can log in, and lacks rights or has too many, in another's name.", "Write the component's own Secret with secrets emit, then correct the annotation or the Secret that the text names."},
	{SecretStale, Error, ofSecrets, "What a component reads is not what cloud-credential-operator should have copied: it did not copy since the source changed, or somebody changed the copy.", "Look at the conditions of the CredentialsRequest and at the operator's log; it copies when it next reconciles."},
	{SecretUnseen, Error, ofSecrets, "A Secret is meant for a component, and its label or annotation keeps the operator from finding it, so the component gets another account or none.", "Write it under the component's own name with secrets emit, or correct its label and annotation."},
	{SecretNote, Note, ofSecrets, "Something to know about a Secret.", "Nothing has to be done."},

	{RequestFailing, Error, ofOperator, "A CredentialsRequest is not provisioned, or one of its conditions says that cloud-credential-operator could not serve it: no account to copy, no namespace to copy to, or a failed attempt.", "Look at the condition's message and at the operator's log; the findings of the secrets beside it name the usual causes."},
	{OperatorDegraded, Error, ofOperator, "The ClusterOperator cloud-credential reports that it is degraded, or not available, or does not say: some CredentialsRequest may not be served.", "Look at the conditions of the CredentialsRequests and at the operator's log."},
	{OperatorHolds, Warning, ofOperator, "The ClusterOperator cloud-credential reports Upgradeable=False, so the cluster does not go to another minor release. In Manual mode that is so until an administrator says that the accounts are prepared.", "Before an upgrade follow reconcile status; outside of Manual mode write the root secret."},

	{OperatorLabels, Warning, ofOperator, "The ClusterOperator cloud-credential reports LabelsMissing: Secrets have its annotation and not its label. It sets the label itself; if one lacked it when it started, it keeps every Secret of the cluster in memory.", "Look again some minutes later; if it stays, look at the operator's log."},

	{IdentityMissing, Error, ofIdentities, "A cluster, machine or identity names an object that does not exist.", "Create it (identity emit), or correct the reference."},
	{IdentityMalformed, Error, ofIdentities, "A reference or a Secret is not what the controller takes, and the login fails.", "Correct it as the text says."},
	{IdentityShared, Error, ofIdentities, "A Secret is that of several identities or clusters; the controller accepts one.", "Give each its own Secret."},
	{IdentityUndecided, Error, ofIdentities, "The dump does not hold what decides.", "Add the objects that the text names to the dump."},
	{IdentityNobody, Warning, ofIdentities, "No namespace may use the identity.", "Set allowedNamespaces of the identity."},
	{IdentityEverybody, Warning, ofIdentities, "Every namespace may use the identity.", "Narrow allowedNamespaces to those that are meant."},
	{IdentityInUse, Note, ofIdentities, "Clusters would lose their account with the identity, and the controller does not prevent its deletion.", "Move them to another identity before it is deleted."},
	{IdentityDiffers, Warning, ofIdentities, "Releases and the proposal disagree about the object.", "Follow the releases until the proposal is accepted."},
	{IdentityZone, Error, ofIdentities, "A VSphereDeploymentZone names no identity: to look at it the controller takes the account of any VSphereCluster with an identity on the same server, which can be another tenant's (cluster-api-provider-vsphere issue 4025). Where that account may not see the datacenter, the zone is not ready and its cluster has no failure domain; the next time it may be.", "Until releases mend it: give each tenant a name of the vCenter of its own (an alias in DNS) and write it as spec.server of its zones and of its VSphereClusters; or let each account on that vCenter read what the zones name; or use no zones."},
	{IdentityNote, Note, ofIdentities, "Something to know about an identity or its cluster.", "Nothing has to be done."},

	{FileUnread, Error, ofFile, "The installer refuses the file, or a line of it.", "Correct the line or the mode that the text names."},
	{FileMissing, Error, ofFile, "The credentials file does not exist.", "Name the file that is meant; apply writes a new one."},
	{FileMisread, Error, ofFile, "The installer reads a line otherwise than it looks.", "Write it as the text says."},
	{FileAmbiguous, Note, ofFile, "A line works, and may be meant otherwise.", "Look at the line."},
	{FileNote, Note, ofFile, "Something to know about the file or its directory.", "Nothing has to be done."},
	{SectionMissing, Error, ofFile, "A vCenter has no section. Names are compared letter by letter.", "Rename the section that is meant, or add one: apply does."},
	{SectionUnasked, Note, ofFile, "A section is of a vCenter that was not asked for.", "Nothing, if it is another cluster's; else correct its name."},
	{SectionName, Error, ofFile, "The name of a section cannot be part of a Secret's key.", "Name the vCenter by its host name or IPv4 address."},
	{AccountMissing, Error, ofFile, "A component has no account. The main one is given in its place only where --main-account-for names the component.", "Set both of its keys: apply does, or credentials import."},
	{AccountFallback, Note, ofFile, "The installer has no account in the file and uses the one in install-config.yaml.", "Nothing, if it is meant; else set both of its keys."},
	{AccountHalf, Error, ofFile, "One of the two keys of an account is missing, and the installer ignores the other without a word.", "Set both."},
	{AccountForm, Error, ofFile, "A user name or password has a form that a reader refuses.", "Write the account as user@domain with a password."},
	{AccountPlaceholder, Error, ofFile, "A user name or password is a placeholder such as REPLACE_WITH_PASSWORD, <password> or ..., as templates and examples have them. No command logs in with it or writes it anywhere.", "Replace it by the real one, or remove both lines of the account."},
	{AccountInherits, Error, ofFile, "ini.v1 takes keys of an account from a section whose name is the end of this one's.", "Write the account in its own section, too."},
	{AccountOther, Note, ofFile, "The file has another account than the specification names.", "Correct the one that is wrong."},
	{AccountShared, Note, ofFile, "Two components have the same account.", "Nothing, if it is meant."},
	{LoginRefused, Error, ofFile, "The vCenter refused a login.", "Compare user and password with what the vCenter has; do not try often: SSO locks accounts."},
}
