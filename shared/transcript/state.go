package transcript

import (
	"strconv"
	"time"

	"craze/shared/proto"
)

// Bounds of a State beside proto's.
const (
	// TranscriptMax is the most one transcript's entries may weigh, in bytes:
	// several snapshots' worth, so that a larger budget still finds history.
	TranscriptMax = 32 << 20
	// EndedMax is how many ended asks a State remembers: enough for a client
	// that answered a moment too late to be told who was first.
	EndedMax = 8

	agentsMax    = 64      // sub-agent rows; every row is part of each snapshot, whatever its budget
	subsMax      = 128     // sub-agent transcripts; more than rows, as a child may speak before it has one
	slashRowsMax = 512     // rows of the slash catalog, as protocol 1 bounds a snapshot's
	replyMax     = 4 << 10 // a first line; far past any terminal's width

	// extraMax bounds what TranscriptMax does not weigh: the rest of closed
	// texts that are over the cap. It is room for a few of the longest.
	extraMax = 32 << 20
)

// limits are the sizes a State keeps to; tests make them small.
type limits struct {
	str   int // one string in a snapshot
	text  int // one entry's streamed text
	total int // weight of one transcript
	extra int // bytes of closed texts past what snapshots carry, of all transcripts
}

func defaultLimits() limits {
	return limits{str: proto.StringCap, text: proto.MaxRecordBytes, total: TranscriptMax, extra: extraMax}
}

// Turn is the turn that runs: craze's own or, with Foreign, the agent's.
type Turn struct {
	ID        string    `json:"id,omitzero"`
	Text      string    `json:"text,omitzero"`
	Origin    string    `json:"origin,omitzero"`
	At        time.Time `json:"at,omitzero"`
	Foreign   bool      `json:"foreign,omitzero"`
	Truncated bool      `json:"truncated,omitzero"`
}

// Agent is a sub-agent's row. Finish is 0 while it runs, else its place among
// all that finished, from 1.
type Agent struct {
	Info      proto.Subagent `json:"info"`
	Finish    uint64         `json:"finish,omitzero"`
	Truncated bool           `json:"truncated,omitzero"`
}

// Ask is an open ask.
type Ask struct {
	ID        string        `json:"id,omitzero"`
	Kind      proto.AskKind `json:"kind,omitzero"`
	Body      proto.AskBody `json:"body,omitzero"`
	At        time.Time     `json:"at,omitzero"`
	Truncated bool          `json:"truncated,omitzero"`
}

// Ended is an ask that has ended.
type Ended struct {
	ID      string        `json:"id,omitzero"`
	Kind    proto.AskKind `json:"kind,omitzero"`
	Outcome string        `json:"outcome,omitzero"`
	By      string        `json:"by,omitzero"`
	At      time.Time     `json:"at,omitzero"`
}

// Compacting is a context compaction under way.
type Compacting struct {
	Since  time.Time `json:"since,omitzero"`
	Reason string    `json:"reason,omitzero"`
}

// State is one session's folded stream, of one goroutine. Make it with New or
// Restore.
type State struct {
	sections
	lim   limits
	main  transcript
	subs  map[string]*transcript
	epoch uint64 // Cuts made; an entry of an older epoch may be in a View
	folds uint64 // events folded, which versions entries
	n     int    // entries the event being folded has made

	subOrder []string // subs by creation

	long  []longText // closed texts over the cap that are held whole, the oldest first
	extra int        // bytes of them past the cap

	reply string // first line of the last finished answer
	doing string // valid unless stale
	stale bool
}

// sections is everything of a State but its transcripts. What its pointers
// and slices lead to is replaced, never changed, except asks, ended, agents,
// queue and longRows, whose slices are changed and which a Cut copies.
type sections struct {
	incarnation string
	seq         uint64
	finishSeq   uint64
	agents      []*Agent
	todos       []proto.Todo
	todosCut    bool
	asks        []*Ask
	ended       []Ended
	turn        *Turn
	replaying   bool
	settings    Settings
	queue       []proto.QueueRow
	longRows    []string // ids of queue rows that were cut
}

// New is the State of a stream before its first event.
func New(incarnation string) *State {
	return &State{lim: defaultLimits(), sections: sections{incarnation: incarnation}}
}

// nextID numbers an entry of the event being folded.
func (s *State) nextID() string {
	var b [32]byte
	id := strconv.AppendUint(b[:0], s.seq, 10)
	id = append(id, '.')
	id = strconv.AppendInt(id, int64(s.n), 10)
	s.n++
	return string(id)
}

// id is an id as a State keeps and compares it.
func (s *State) id(id string) string {
	id = valid(id)
	return id[:runeFloor(id, s.lim.str)]
}
