package peer

import (
	"context"

	"github.com/go-json-experiment/json"
)

// The options of a permission request.
const (
	AllowOnce   = "allow-once"
	AllowAlways = "allow-always"
	RejectOnce  = "reject-once"
)

type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

type permissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

// AskPermission asks whether c may run, and returns the id of the option that
// was chosen, Cancelled when none was or ctx ended first, or the client's
// refusal as an error.
func (s *Session) AskPermission(ctx context.Context, c ToolCall) (string, error) {
	a, err := s.Call(ctx, methodRequest, permissionParams{
		SessionID: s.ID, ToolCall: c,
		Options: []permissionOption{
			{AllowOnce, "allow_once", "Allow once"},
			{AllowAlways, "allow_always", "Allow always"},
			{RejectOnce, "reject_once", "Reject"},
		},
	})
	switch {
	case err != nil:
		return Cancelled, nil
	case a.Err != nil:
		return "", a.Err
	}
	return outcome(a)
}

func outcome(a Answer) (string, error) {
	var r struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(a.Result, &r); err != nil {
		return "", invalidParams("the answer to %s has no outcome", methodRequest)
	}
	if r.Outcome.Outcome != "selected" {
		return Cancelled, nil
	}
	return r.Outcome.OptionID, nil
}
