package proto

import "time"

// Version is the one protocol version this build speaks.
const Version = 1

// EventCodec and SnapshotCodec are the codec versions hello states.
const (
	EventCodec    = 1
	SnapshotCodec = 1
)

// Line limits, in bytes without the line end. They are asymmetric because a
// host must be able to answer with a whole snapshot, while no request of the
// protocol comes near a megabyte but an aside with its history.
const (
	InboundLineMax  = 4 << 20  // client to host or hub
	OutboundLineMax = 16 << 20 // host or hub to client
)

// Bounds of what one message carries, all in bytes.
const (
	MaxRecordBytes      = 8 << 20   // one event's encoded body
	SnapshotDefault     = 4 << 20   // an attach's snapshot when it names no budget
	SnapshotMax         = 8 << 20   // the most a snapshot may take, whatever is asked
	StringCap           = 256 << 10 // one string in a snapshot or a full ask
	QueueRowCap         = 32 << 10  // one queued text in session.state
	WriterQueueBytes    = 32 << 20  // everything waiting to be written to one connection
	WriterQueueReserved = 1 << 10   // of it, kept for a final reset
)

// Bounds of what runs at once.
const (
	RequestsPerConn  = 16 // admitted and not yet answered on one connection
	CommandsPerHost  = 64 // mutating commands at once over all connections
	QueueRows        = 32 // prompts waiting in a session's queue
	QueueTextMax     = 32 << 10
	ReceiptsMax      = 1024
	ReceiptsAge      = 10 * time.Minute
	CommandIDDigits  = 20
	SessionIDMax     = 128
	PathCharsMax     = 4096
	RequestIDMax     = 64
	RosterRowsMax    = 512
	RosterRowBytes   = 32000
	RosterHostRowMax = 16 << 10
	RosterVersionMax = 128
	RosterProvider   = 64
)

// An attachment's budget: what the event log holds for a subscription that
// its forwarder has not yet taken.
const (
	BudgetItemsDefault = 1024
	BudgetBytesDefault = 8 << 20
	BudgetItemsMax     = 8192
	BudgetBytesMax     = 32 << 20
)

// Waits that both sides know.
const (
	HelloWait   = 5 * time.Second  // a hub closes a connection that has not said hello by then
	ReadyWait   = 10 * time.Minute // a host's bound on an attach with when "ready"
	WriteStall  = 60 * time.Second // a peer that takes nothing for this long is given up
	CreateStart = 60 * time.Second // a hub's bound on a created session's start
)
