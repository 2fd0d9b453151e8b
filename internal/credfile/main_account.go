package credfile

// MainAccount is what becomes of the plain user and password of a section, the main account: the one answer of all commands and
// pages. It deviates from the enhancement, which calls them the installer's: openshift/installer@0f58e82ecf15,
// pkg/asset/installconfig/vsphere/credentials.go, reads keys of components alone, and releases read no credentials file.
const MainAccount = "openshift-install never reads the plain user and password of a section (a deviation from openshift/enhancements#1931): " +
	"it takes the main account from install-config.yaml alone. 'install-config render' puts them there; " +
	"'secrets emit --main-account-for' gives them to components that have no account of their own"

// MainUnread is why they are not used, where there is room for no more.
const MainUnread = "openshift-install never reads the plain user and password of a section"
