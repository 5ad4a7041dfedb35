package registry

import (
	"errors"
	"fmt"
	"strings"
)

// MatchMin is the fewest characters of a part of an id that name a session.
const MatchMin = 4

// ErrNoMatch says that no live session has such an id.
var ErrNoMatch = errors.New("no running session has this id")

// AmbiguousError says that several sessions have such an id. The caller names
// them, so that the person can give more of one.
type AmbiguousError struct{ IDs []string }

// Error names the ids.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("several running sessions have this id, give more of it: %s", strings.Join(e.IDs, ", "))
}

// Match finds the host that word names, whole or in part. The first tier with
// a match decides: any id exactly, the end of a craze session id, its
// beginning, the beginning of a host id. Hosts whose entry could not be read
// have a host id alone.
func Match(hosts []Host, word string) (Host, error) {
	if word == "" {
		return Host{}, ErrNoMatch
	}
	tiers := []func(Host) bool{
		func(h Host) bool {
			return word == h.ID || word == h.Entry.CrazeSessionID || word == h.Entry.ProviderSessionID
		},
		func(h Host) bool { return strings.HasSuffix(h.Entry.CrazeSessionID, word) },
		func(h Host) bool { return strings.HasPrefix(h.Entry.CrazeSessionID, word) },
		func(h Host) bool { return strings.HasPrefix(h.ID, word) },
	}
	if len(word) < MatchMin {
		tiers = tiers[:1]
	}
	for _, in := range tiers {
		var found []Host
		for _, h := range hosts {
			if in(h) {
				found = append(found, h)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Host{}, ambiguous(found)
		}
	}
	return Host{}, ErrNoMatch
}

// ambiguous names the hosts by their sessions, or by their host ids where the
// sessions' do not tell them apart.
func ambiguous(hosts []Host) *AmbiguousError {
	sessions, ids := []string{}, []string{}
	distinct := map[string]bool{"": true}
	for _, h := range hosts {
		ids = append(ids, h.ID)
		if s := h.Entry.CrazeSessionID; !distinct[s] {
			distinct[s] = true
			sessions = append(sessions, s)
		}
	}
	if len(sessions) == len(hosts) {
		return &AmbiguousError{IDs: sessions}
	}
	return &AmbiguousError{IDs: ids}
}
