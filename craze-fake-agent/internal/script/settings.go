package script

import (
	"context"
	"fmt"

	"craze/craze-fake-agent/internal/peer"
)

func title(_ context.Context, t *peer.Turn) (string, error) {
	t.Title(t.Prompt)
	t.Text("titled")
	return peer.EndTurn, nil
}

func commands() peer.Behaviour {
	return peer.Behaviour{
		Opened: func(s *peer.Session) {
			s.Commands([]peer.Command{
				{Name: "research", Description: "look something up", Hint: "what to look up"},
				{Name: "review", Description: "review the changes"},
			})
		},
		Prompt: func(_ context.Context, t *peer.Turn) (string, error) {
			t.Commands([]peer.Command{
				{Name: "review", Description: "review the changes"},
				{Name: fmt.Sprintf("turn-%d", t.Number), Description: "offered by this turn"},
			})
			t.Text("commands changed")
			return peer.EndTurn, nil
		},
	}
}

// models switches to a model that was not offered before, as agents do whose
// catalogue comes late; as a member of session/new's answer, models cannot
// change, and the model in use is only told.
func models(arg string) (peer.Behaviour, error) {
	if arg != "" && arg != "member" {
		return peer.Behaviour{}, fmt.Errorf("%q is not member", arg)
	}
	b := peer.Behaviour{ModelsMember: arg == "member"}
	b.Prompt = func(_ context.Context, t *peer.Turn) (string, error) {
		if !b.ModelsMember {
			t.AddModel("fake-late", "Fake Late")
			t.SwitchModel("fake-late")
		}
		t.Text("model: " + t.Model())
		return peer.EndTurn, nil
	}
	return b, nil
}
