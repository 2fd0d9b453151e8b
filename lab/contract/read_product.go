package contract

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// readProduct are the rules about sessions, releases and REST that reading tries.
func readProduct() []Rule {
	return []Rule{
		{ID: "R43", Case: "sessions", Says: "Who has Sessions.TerminateSession sees every session, and when it was last used.", try: trySessions},
		{ID: "R46", Case: "global permissions", Says: "Global permissions have a public API since 9.0, not before.", try: tryGlobalPermissions},
		{
			ID: "R46", Case: "older service", try: tryOlderPermissions,
			Says: "An older service tells global permissions from 8.0.3 on, not before.",
		},
		{ID: "R47", Case: "version", Says: "About tells the version of the API, which begins like the product's.", try: tryVersion},
		{ID: "R47", Case: "privilege checks", Says: "Which privileges were checked can be asked over REST since 8.0.", try: tryPrivilegeChecks},
		{ID: "R47", Case: "inventory lists", Says: "REST lists the inventory.", try: tryLists},
		{ID: "R47", Case: "tagging", Says: "Tags can be read below /api, too.", try: tryTagging},
	}
}

func trySessions(ctx context.Context, p *probe) outcome {
	const privilege = "Sessions.TerminateSession"
	has, a := p.has(ctx, p.User, p.Content.RootFolder, []string{privilege})
	if !a.ok() {
		return a.unready()
	}
	if len(has) == 0 {
		return untried("the account has no %s", privilege)
	}
	own, got, ok := p.currentSession(ctx)
	if !ok {
		return got
	}
	found, a := p.read(ctx, *p.Content.SessionManager, "sessionList")
	if !a.ok() {
		return a.unexpected()
	}
	list, _ := found["sessionList"].(types.ArrayOfUserSession)
	i := slices.IndexFunc(list.UserSession, func(s types.UserSession) bool { return s.Key == own.Key })
	if i < 0 {
		return differs("the session itself is not among the %d in the list", len(list.UserSession))
	}
	return when(!list.UserSession[i].LastActiveTime.IsZero(), "the list does not say when a session was last used")
}

// api is the first number of the API's version, which has to have a second one.
func (p *probe) api() (major int, ok bool) {
	parts := strings.Split(p.Content.About.ApiVersion, ".")
	if len(parts) < 2 {
		return 0, false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, false
	}
	_, err = strconv.Atoi(parts[1])
	return major, err == nil
}

func tryVersion(_ context.Context, p *probe) outcome {
	about := p.Content.About
	_, ok := p.api()
	if !ok {
		return differs("the version of the API is %s", plain(about.ApiVersion))
	}
	first := func(s string) string { return strings.Join(strings.SplitN(s, ".", 3)[:2], ".") }
	if !strings.Contains(about.Version, ".") {
		return differs("the version is %s", plain(about.Version))
	}
	return when(first(about.Version) == first(about.ApiVersion), "version %s has API version %s", plain(about.Version), plain(about.ApiVersion))
}

func tryGlobalPermissions(ctx context.Context, p *probe) outcome {
	return p.served(ctx, http.MethodPost, "/api/vcenter/authorization/permissions?action=list", 9)
}

// Later compares versions number by number.
func Later(a, b string) bool {
	numbers := func(s string) (all []int) {
		for part := range strings.SplitSeq(s, ".") {
			n, _ := strconv.Atoi(part)
			all = append(all, n)
		}
		return all
	}
	return slices.Compare(numbers(a), numbers(b)) > 0
}

// tryOlderPermissions looks for the service without a login.
func tryOlderPermissions(ctx context.Context, p *probe) outcome {
	version := p.Content.About.ApiVersion
	status, err := p.Status(ctx, http.MethodGet, "/rest/com/vmware/cis/authz/permission")
	if err != nil {
		return untried("the REST API did not answer")
	}
	if _, known := p.api(); !known {
		return untried("the version of the API is not known")
	}
	want := http.StatusNotFound
	if !Later("8.0.3", version) {
		want = http.StatusUnauthorized
	}
	return when(status == want, "API version %s answers with status %d, not %d", plain(version), status, want)
}

func tryLists(ctx context.Context, p *probe) outcome {
	return p.served(ctx, http.MethodGet, "/api/vcenter/datacenter", 7)
}

func tryTagging(ctx context.Context, p *probe) outcome {
	return p.served(ctx, http.MethodGet, "/api/cis/tagging/category", 7)
}

func tryPrivilegeChecks(ctx context.Context, p *probe) outcome {
	return p.served(ctx, http.MethodGet, "/api/vcenter/authorization/privilege-checks/latest", 8)
}

// served wants an operation to be there from a major version of the API on, and not before. Nobody logs in for that.
func (p *probe) served(ctx context.Context, method, path string, since int) outcome {
	major, ok := p.api()
	if !ok {
		return untried("the version of the API is not known")
	}
	status, err := p.Status(ctx, method, path)
	switch {
	case err != nil:
		return untried("the REST API did not answer")
	case major >= since:
		return when(status == http.StatusUnauthorized, "API version %d answers with status %d, not 401", major, status)
	}
	return when(status == http.StatusNotFound, "API version %d answers with status %d, not 404", major, status)
}
