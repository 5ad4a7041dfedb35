package proto

import "github.com/go-json-experiment/json/jsontext"

// HelloParams open a connection. It is the one request whose unknown members
// are ignored, since hello is where two versions meet.
type HelloParams struct {
	Protocols []int          `json:"protocols"`
	Client    ClientInfo     `json:"client"`
	Resume    *Resume        `json:"resume,omitzero"`
	Auth      jsontext.Value `json:"auth,omitzero"` // reserved: absent or null
	Via       jsontext.Value `json:"via,omitzero"`  // reserved: absent or null
}

// ClientInfo says who is speaking. Only Kind is required. Name and Version
// are free text and are never logged.
type ClientInfo struct {
	Kind         string         `json:"kind"`
	Name         string         `json:"name,omitzero"`
	Version      string         `json:"version,omitzero"`
	Capabilities jsontext.Value `json:"capabilities,omitzero"`
}

// Resume takes a client id back on a new connection to the same host.
type Resume struct {
	ClientID string `json:"clientId"`
	Token    string `json:"token"`
}

// EndpointKind tells a host's hello from a hub's.
type EndpointKind string

// The two kinds of endpoint.
const (
	KindHost EndpointKind = "host"
	KindHub  EndpointKind = "hub"
)

// Endpoint names the process that answered hello.
type Endpoint struct {
	Kind         EndpointKind `json:"kind"`
	HostID       string       `json:"hostId"`
	CrazeVersion string       `json:"crazeVersion"`
	PID          int          `json:"pid"`
}

// ConnCaps is what the connection, not the session, can do.
type ConnCaps struct {
	RosterSubscribe bool `json:"rosterSubscribe"`
	SessionCreate   bool `json:"sessionCreate"`
	Multiplex       bool `json:"multiplex"`
	Connect         bool `json:"connect"`
	Snapshot        bool `json:"snapshot"`
	AttachWhenNow   bool `json:"attachWhenNow"`
	CreateOptions   bool `json:"createOptions,omitzero"`
	CreateTitle     bool `json:"createTitle,omitzero"`
	Reopen          bool `json:"reopen,omitzero"`
}

// Codecs are the codec versions an endpoint writes.
type Codecs struct {
	Event    int `json:"event"`
	Snapshot int `json:"snapshot"`
}

// LineLimits are the two line limits, in bytes.
type LineLimits struct {
	InboundLine  int `json:"inboundLine"`
	OutboundLine int `json:"outboundLine"`
}

// RetryHorizon bounds the host's table of stored answers.
type RetryHorizon struct {
	Commands int   `json:"commands"`
	AgeMs    int64 `json:"ageMs"`
}

// HelloResult is either endpoint's answer. ClientID, Token, Resumed and
// RetryHorizon are a host's alone: a hub leaves all four out.
type HelloResult struct {
	Protocol     int           `json:"protocol"`
	Endpoint     Endpoint      `json:"endpoint"`
	ClientID     string        `json:"clientId,omitzero"`
	Token        string        `json:"token,omitzero"`
	Resumed      *bool         `json:"resumed,omitzero"`
	Capabilities ConnCaps      `json:"capabilities"`
	Codecs       Codecs        `json:"codecs"`
	Limits       LineLimits    `json:"limits"`
	RetryHorizon *RetryHorizon `json:"retryHorizon,omitzero"`
}

// Horizon is the retry horizon every host of this build states.
func Horizon() RetryHorizon {
	return RetryHorizon{Commands: ReceiptsMax, AgeMs: ReceiptsAge.Milliseconds()}
}

// Limits are the line limits every endpoint of this build states.
func Limits() LineLimits {
	return LineLimits{InboundLine: InboundLineMax, OutboundLine: OutboundLineMax}
}

// CheckHello refuses a hello that names no client kind or no version this
// build speaks.
func CheckHello(p HelloParams) *Error {
	if p.Client.Kind == "" {
		return BadParams(ReasonBadRequest, "hello names client.kind")
	}
	for _, v := range p.Protocols {
		if v == Version {
			return nil
		}
	}
	e := Refuse(CodeBadRequest, ReasonProtocolVersion, "this endpoint speaks protocol %d", Version)
	e.Data.Result = []byte(`{"supported":[1]}`)
	return e
}
