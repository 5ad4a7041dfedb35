package proto

// Method is a request's method name.
type Method string

// The methods of protocol 1.
const (
	MethodHello         Method = "hello"
	MethodList          Method = "sessions.list"
	MethodSubscribe     Method = "sessions.subscribe"
	MethodCreateOptions Method = "sessions.createOptions"
	MethodSaved         Method = "sessions.saved"
	MethodConnect       Method = "session.connect"
	MethodCreate        Method = "session.create"
	MethodReopen        Method = "session.reopen"
	MethodAttach        Method = "session.attach"
	MethodDetach        Method = "session.detach"
	MethodState         Method = "session.state"
	MethodSnapshot      Method = "session.snapshot"
	MethodSync          Method = "session.sync"
	MethodPrompt        Method = "session.prompt"
	MethodCancel        Method = "session.cancel"
	MethodDisarm        Method = "session.disarm"
	MethodQueueAdd      Method = "session.queue.add"
	MethodQueueEdit     Method = "session.queue.edit"
	MethodQueueRemove   Method = "session.queue.remove"
	MethodQueueClear    Method = "session.queue.clear"
	MethodSet           Method = "session.set"
	MethodSetTitle      Method = "session.setTitle"
	MethodSubCancel     Method = "session.subagent.cancel"
	MethodStop          Method = "session.stop"
	MethodModels        Method = "session.models.refresh"
	MethodAside         Method = "session.aside"
	MethodAsideCancel   Method = "session.aside.cancel"
	MethodAsksList      Method = "asks.list"
	MethodAsksGet       Method = "asks.get"
	MethodAsksAnswer    Method = "asks.answer"
)

// Notification names.
const (
	NoteEvent        Method = "event"
	NoteSynchronized Method = "synchronized"
	NoteReady        Method = "ready"
	NoteReset        Method = "reset"
	NotePresence     Method = "presence"
	NoteAside        Method = "aside"
	NoteRoster       Method = "roster"
)

// Served says which kind of endpoint serves a method.
type Served int

// Where a method is served.
const (
	Nowhere Served = 0 // not a method of protocol 1
	OnHost  Served = 1
	OnHub   Served = 2
	OnBoth  Served = 3
)

// methodFacts are the facts of a method that both kinds of endpoint act on.
type methodFacts struct {
	served   Served
	mutating bool
}

var methods = map[Method]methodFacts{
	MethodHello:         {OnBoth, false},
	MethodList:          {OnBoth, false},
	MethodSubscribe:     {OnHub, false},
	MethodCreateOptions: {OnHub, false},
	MethodSaved:         {OnHub, false},
	MethodConnect:       {OnHub, false},
	MethodCreate:        {OnHub, false},
	MethodReopen:        {OnHub, false},
	MethodAttach:        {OnHost, false},
	MethodDetach:        {OnHost, false},
	MethodState:         {OnHost, false},
	MethodSnapshot:      {OnHost, false},
	MethodSync:          {OnHost, false},
	MethodPrompt:        {OnHost, true},
	MethodCancel:        {OnHost, true},
	MethodDisarm:        {OnHost, true},
	MethodQueueAdd:      {OnHost, true},
	MethodQueueEdit:     {OnHost, true},
	MethodQueueRemove:   {OnHost, true},
	MethodQueueClear:    {OnHost, true},
	MethodSet:           {OnHost, true},
	MethodSetTitle:      {OnHost, true},
	MethodSubCancel:     {OnHost, true},
	MethodStop:          {OnHost, true},
	MethodModels:        {OnHost, false},
	MethodAside:         {OnHost, false},
	MethodAsideCancel:   {OnHost, false},
	MethodAsksList:      {OnHost, false},
	MethodAsksGet:       {OnHost, false},
	MethodAsksAnswer:    {OnHost, true},
}

// ServedBy says which endpoints serve m; Nowhere for a method protocol 1 does
// not define.
func (m Method) ServedBy() Served { return methods[m].served }

// Mutating reports whether m carries a commandId and leaves a receipt.
func (m Method) Mutating() bool { return methods[m].mutating }
