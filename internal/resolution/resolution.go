// Package resolution is the answer to one question, wherever it is asked: which account does a consumer get on a vCenter,
// by which step, and what did that step go before? The answer is the same value for openshift-install before there is a
// cluster, for the operators that read secrets, and for the controllers that follow a cluster identity. It holds no
// password.
package resolution

import "slices"

// None is the step of somebody who gets nothing, because there is nothing to choose.
const None = "none"

// Candidate is a source of an account, whether it is used or not.
type Candidate struct {
	Step     string `json:"step"`     // how the consumer comes to it: a word of the room that resolves
	From     string `json:"from"`     // where it is: a file, or namespace/name of a secret or an identity; "" = Step says it
	User     string `json:"user"`     // "" = it has none for the vCenter, or it is not known
	Instance string `json:"instance"` // instance UUID of the vCenter that the account was recorded for; "" = nobody recorded it
	Why      string `json:"why"`      // of one that is ignored, why; of the one that is used, what is to know of it
}

// Source is a candidate on its rung: the first one that takes is used, with or without a user, and no later one is asked.
type Source struct {
	Candidate
	Takes bool // whether the consumer stops here
}

// Resolution says which account a consumer gets on one vCenter. Candidate is what is used; Step is [None] where nothing is.
type Resolution struct {
	Consumer string `json:"consumer"` // a component, or namespace/name of a CredentialsRequest or a cluster
	Server   string `json:"server"`   // the vCenter, as the consumer calls it
	Candidate
	Refusal    string      `json:"refusal"`    // why the consumer is refused what Candidate names; "" = it is not
	Overridden []Candidate `json:"overridden"` // what is there, but not used, by precedence
}

// Resolve goes through the sources of a consumer, the most specific first. All that is there and not used is among the
// overridden.
func Resolve(consumer, server string, sources ...Source) Resolution {
	r := Resolution{Consumer: consumer, Server: server, Candidate: Candidate{Step: None}, Overridden: []Candidate{}}
	used := slices.IndexFunc(sources, func(s Source) bool { return s.Takes })
	for i, s := range sources {
		if i == used {
			r.Candidate = s.Candidate
		} else {
			r.Overridden = append(r.Overridden, s.Candidate)
		}
	}
	return r
}

// Gets is the user that the consumer logs in with; "" = it gets no account.
func (r Resolution) Gets() string {
	if r.Refusal != "" {
		return ""
	}
	return r.User
}
