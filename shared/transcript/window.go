package transcript

// window is what a snapshot carries of one transcript: the entries from one
// on, and the newest of the ledger of those before.
type window struct {
	t      *transcript
	from   int    // the first entry carried
	buf    []byte // the entries carried, newest first
	ends   []int  // where each of them ends in buf
	listed int    // ledger items carried, the newest ones
}

// The members that hold a window's lists.
const (
	entriesOpen = `"entries":[`
	omittedOpen = `"omitted":[`
	listEnd     = `]`
)

// What a list costs beside its items: the comma before it, and the mark that
// comes with a ledger.
const (
	entriesCost = len(`,`) + len(entriesOpen) + len(listEnd)
	omittedCost = len(`,`) + len(omittedOpen) + len(listEnd) + len(`,"windowed":true`)
)

// mandatory carries the newest entry, whatever the room.
func (w *window) mandatory() error {
	if len(w.t.entries) == 0 {
		return nil
	}
	w.from = len(w.t.entries)
	_, err := w.widen()
	return err
}

// fixed is the length of the window as it stands. No wider one's is longer
// by more than its items and lists.
func (w *window) fixed() int { return len(w.append(nil)) }

// outside is how many entries the window leaves out, listed or not.
func (w *window) outside() int { return len(w.t.ledger) + w.from }

// item is the i-th entry outside the window, oldest first.
func (w *window) item(i int) omitted {
	if i < len(w.t.ledger) {
		return w.t.ledger[i]
	}
	e := w.t.entries[i-len(w.t.ledger)]
	o := omitted{bytes: e.size}
	if e.Tool != nil {
		o.tool = e.Tool.ID
	}
	return o
}

// widen encodes one entry more, and reports its length.
func (w *window) widen() (int, error) {
	was := len(w.buf)
	buf, err := w.t.entries[w.from-1].append(w.buf)
	if err != nil {
		return 0, err
	}
	w.buf, w.from = buf, w.from-1
	w.ends = append(w.ends, len(buf))
	return len(buf) - was, nil
}

// narrow takes back the last widening.
func (w *window) narrow(n int) {
	w.buf, w.from = w.buf[:len(w.buf)-n], w.from+1
	w.ends = w.ends[:len(w.ends)-1]
}

// addEntries widens the window newest first while there is room.
func (w *window) addEntries(room *int) error {
	for w.from > 0 {
		n, err := w.widen()
		if err != nil {
			return err
		}
		cost := n + len(",")
		if len(w.ends) == 1 {
			cost += entriesCost
		}
		if cost > *room {
			w.narrow(n)
			return nil
		}
		*room -= cost
	}
	return nil
}

// ledgerLen bounds the length of the whole ledger.
func (w *window) ledgerLen() int {
	n := w.outside()
	if n == 0 {
		return 0
	}
	var scratch []byte
	total := omittedCost
	for i := range n {
		scratch = w.item(i).append(scratch[:0])
		total += len(scratch) + len(",")
	}
	return total
}

// addLedger lists what is outside the window, newest first, while there is
// room.
func (w *window) addLedger(room *int) {
	var scratch []byte
	for w.listed < w.outside() {
		scratch = w.item(w.outside() - w.listed - 1).append(scratch[:0])
		cost := len(scratch) + len(",")
		if w.listed == 0 {
			cost += omittedCost
		}
		if cost > *room {
			return
		}
		*room -= cost
		w.listed++
	}
}

// append writes the transcript as the window carries it.
func (w *window) append(dst []byte) []byte {
	t := w.t
	m := members{dst: append(dst, '{')}
	if t.id != "" {
		m.quoted("id", t.id)
	}
	lost := uint64(w.outside() - w.listed)
	m.flag("trimmed", t.dropped+lost > 0)
	m.flag("windowed", w.listed > 0)
	m.count("dropped", t.dropped+lost)
	run, open, cut := w.tail()
	m.flag("streamOpen", open)
	m.flag("tailCut", open && cut)
	m.flag("todoPlanned", t.todoPlanned)
	m.flag("todoDone", t.todoDone)
	if run != "" {
		m.quoted("omittedRun", string(run))
	}
	w.appendLedger(&m)
	if c := t.compacting; c != nil {
		m.raw("compacting")
		m.dst = c.append(m.dst)
	}
	w.appendEntries(&m)
	return append(m.dst, '}')
}

// tail is what streams at the transcript's end: whether something does,
// whether it is cut, and its kind if the window leaves it out.
func (w *window) tail() (run Kind, open, cut bool) {
	e := w.t.newest()
	switch {
	case e == nil:
		return w.t.run, w.t.run != "", w.t.runCut
	case !e.Streaming:
		return "", false, false
	case w.from == len(w.t.entries):
		return e.Kind, true, e.snapCut()
	}
	return "", true, e.snapCut()
}

func (w *window) appendLedger(m *members) {
	if w.listed == 0 {
		return
	}
	m.comma()
	m.dst = append(m.dst, omittedOpen...)
	for i := range w.listed {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.dst = w.item(w.outside() - w.listed + i).append(m.dst)
	}
	m.dst = append(m.dst, listEnd...)
}

func (w *window) appendEntries(m *members) {
	if len(w.ends) == 0 {
		return
	}
	m.comma()
	m.dst = append(m.dst, entriesOpen...)
	for i := len(w.ends) - 1; i >= 0; i-- {
		start := 0
		if i > 0 {
			start = w.ends[i-1]
		}
		m.dst = append(m.dst, w.buf[start:w.ends[i]]...)
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
	}
	m.dst = append(m.dst, listEnd...)
}
