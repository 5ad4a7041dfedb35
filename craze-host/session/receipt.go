package session

import (
	"strconv"
	"time"

	"craze/shared/proto"
)

// receipts is the table of stored answers: at most proto.ReceiptsMax of them,
// none older than proto.ReceiptsAge. It makes a resend of a command a question
// about it rather than a second command.
type receipts struct {
	byKey   map[string]receipt
	order   []string          // keys, oldest first
	highest map[string]uint64 // per client, the largest command id that ran
}

type receipt struct {
	hash   uint64
	answer answer
	at     time.Time
}

func newReceipts() receipts {
	return receipts{byKey: map[string]receipt{}, highest: map[string]uint64{}}
}

func (c Command) key() string { return c.Client + "/" + c.ID }

// seen answers a command that has run before. found is false for one that has
// not, which is then to be run.
func (r *receipts) seen(c Command, now time.Time) (a answer, found bool) {
	r.expire(now)
	if got, ok := r.byKey[c.key()]; ok {
		if got.hash != c.Hash {
			return answer{err: proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest,
				"command %s was sent before with other params", c.ID)}, true
		}
		return got.answer, true
	}
	n, err := strconv.ParseUint(c.ID, 10, 64)
	if err == nil && n <= r.highest[c.Client] {
		return answer{err: proto.RefuseOne(proto.CodeUnknownCommand,
			"command %s is past the retry horizon; read the session's state", c.ID)}, true
	}
	return answer{}, false
}

// store keeps an answer, unless its code says that nothing ran.
func (r *receipts) store(c Command, a answer, now time.Time) {
	if e, ok := a.err.(*proto.Error); ok && !e.Data.Code.Stored() {
		return
	}
	if n, err := strconv.ParseUint(c.ID, 10, 64); err == nil {
		r.highest[c.Client] = max(n, r.highest[c.Client])
	}
	r.byKey[c.key()] = receipt{hash: c.Hash, answer: a, at: now}
	r.order = append(r.order, c.key())
	for len(r.order) > proto.ReceiptsMax {
		r.dropOldest()
	}
}

func (r *receipts) expire(now time.Time) {
	for len(r.order) > 0 && now.Sub(r.byKey[r.order[0]].at) > proto.ReceiptsAge {
		r.dropOldest()
	}
}

func (r *receipts) dropOldest() {
	delete(r.byKey, r.order[0])
	r.order = r.order[1:]
}
