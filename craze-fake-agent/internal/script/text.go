package script

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"craze/craze-fake-agent/internal/peer"
)

const (
	slowEvery  = 50       // ms between slow's chunks: about a model's pace
	burstCount = 2000     // chunks: over the queue of 1024 updates that clients have had
	longBytes  = 2 << 20  // bytes of the long answer: over the 1 MiB at which clients cut lines
	longChunk  = 32 << 10 // bytes a chunk of it: under a pipe's 64 KiB
)

type turnFunc = func(context.Context, *peer.Turn) (string, error)

// turns makes a behaviour of its turns alone.
func turns(each turnFunc) func() peer.Behaviour {
	return func() peer.Behaviour { return peer.Behaviour{Prompt: each} }
}

func echo(_ context.Context, t *peer.Turn) (string, error) {
	t.Text("echo: ")
	t.Text(t.Prompt)
	return peer.EndTurn, nil
}

func slow(arg string) (peer.Behaviour, error) {
	n, err := numbers(arg, slowEvery, unlimited)
	if err != nil {
		return peer.Behaviour{}, err
	}
	return peer.Behaviour{Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
		return drip(ctx, millis(n[0]), n[1], func(i int) { t.Text(fmt.Sprintf("tick-%d ", i)) }), nil
	}}, nil
}

// unlimited, as drip's most, is no end.
const unlimited = 0

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// drip calls say at once and then every interval, most times or, unlimited,
// without end, and returns the turn's stop reason.
func drip(ctx context.Context, interval time.Duration, most int, say func(i int)) string {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for i := 0; most == unlimited || i < most; i++ {
		if i > 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return peer.Cancelled
		}
		say(i)
	}
	return peer.EndTurn
}

func burst(arg string) (peer.Behaviour, error) {
	n, err := numbers(arg, burstCount, 1)
	if err != nil {
		return peer.Behaviour{}, err
	}
	return peer.Behaviour{Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
		if err := t.Burst(ctx, n[0], n[1], burstText); err != nil {
			return peer.Cancelled, nil
		}
		return peer.EndTurn, nil
	}}, nil
}

func burstText(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, "chunk-"...), int64(i), 10), ' ')
}

func long(arg string) (peer.Behaviour, error) {
	n, err := numbers(arg, longBytes)
	if err != nil {
		return peer.Behaviour{}, err
	}
	return peer.Behaviour{Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
		for at := 0; at < n[0]; at += longChunk {
			if ctx.Err() != nil {
				return peer.Cancelled, nil
			}
			t.Text(longText(at, min(longChunk, n[0]-at)))
		}
		return peer.EndTurn, nil
	}}, nil
}

// longText is n bytes of the long answer from byte at, a multiple of a line's
// length. Each line says which byte it begins at, so that a hole shows.
func longText(at, n int) string {
	b := make([]byte, 0, n+longLine)
	for ; len(b) < n; at += longLine {
		b = fmt.Appendf(b, "byte %10d of an answer too long for any line limit ......\n", at)
	}
	return string(b[:n])
}

// longLine is the length of a line of the long answer: a divisor of longChunk.
const longLine = 64
