package cut

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"craze/craze-host/agent"
	"craze/shared/client"
	"craze/shared/proto"
)

// attached is a client of a host whose connections do not break.
func attached(t *testing.T, b proto.Budget) (*host, *client.Stream, context.Context) {
	t.Helper()
	h := newHost(nil)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	s, err := client.OpenSession(ctx, client.SessionConfig{Config: client.Config{Dial: h.dial}, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		s.Close()
		if err := h.end(); err != nil {
			t.Error(err)
		}
	})
	st, err := s.Attach(ctx, client.AttachOptions{Budget: b})
	if err != nil {
		t.Fatal(err)
	}
	return h, st, ctx
}

// read follows a stream until it has seen a text, and gives all the assistant
// said and how often the stream started again.
func read(t *testing.T, ctx context.Context, st *client.Stream, until string) (text string, restored int) {
	t.Helper()
	for !strings.HasSuffix(text, until) {
		it, err := st.Next(ctx)
		if err != nil {
			t.Fatalf("after %d bytes: %v", len(text), err)
		}
		switch it := it.(type) {
		case client.Restored:
			restored++
			text = ""
			for _, e := range it.State.Entries("") {
				text += e.Text
			}
		case client.Event:
			text += it.Event.Text
		}
	}
	return text, restored
}

func TestAClientThatFellBehindStartsAgainFromASnapshot(t *testing.T) {
	h, st, ctx := attached(t, proto.Budget{MaxItems: 4, MaxBytes: 1 << 20})
	want := ""
	for i := range 1500 {
		chunk := fmt.Sprintf("<%d>%s", i, strings.Repeat("x", 100))
		want += chunk
		h.s.Deliver([]agent.Update{agent.Text{Kind: proto.EvText, Text: chunk}})
	}
	h.s.Deliver([]agent.Update{agent.Text{Kind: proto.EvText, Text: "the end"}})
	text, _ := read(t, ctx, st, "the end")
	if want += "the end"; text != want { // 160 KiB, which a snapshot holds whole
		t.Errorf("read %d bytes of %d", len(text), len(want))
	}
}

func TestARecordTooLargeIsPassedOverByASnapshot(t *testing.T) {
	h, st, ctx := attached(t, proto.Budget{})
	if text, restored := read(t, ctx, st, ""); text != "" || restored != 0 {
		t.Fatalf("%q, %d", text, restored)
	}
	h.s.Deliver([]agent.Update{
		agent.Text{Kind: proto.EvText, Text: "before"},
		agent.State{Delta: proto.StateDelta{Commands: &proto.Commands{Commands: []proto.AgentCommand{
			{Name: "big", Description: strings.Repeat("d", proto.MaxRecordBytes)},
		}}}},
		agent.Text{Kind: proto.EvText, Text: " and after"},
	})
	text, restored := read(t, ctx, st, " and after")
	if text != "before and after" || restored != 2 {
		t.Errorf("%q after %d snapshots", text, restored)
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	h, st, ctx := attached(t, proto.Budget{})
	if err := h.s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for {
		it, err := st.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := it.(client.Ended); ok {
			if e.Reason != proto.ResetClosed {
				t.Errorf("%s", e.Reason)
			}
			return
		}
	}
}
