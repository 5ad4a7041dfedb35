package bench

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/wire"
)

// burst is how many chunks the agent writes, each with a write of its own.
const burst = 200_000

// bare is how long a bare reader takes for the same burst, from the prompt to
// the response.
func bare(tb testing.TB) time.Duration {
	a := startBare(tb, fmt.Sprintf("burst:%d", burst))
	_, session := a.call("session/new", `"cwd":"/tmp","mcpServers":[]`)
	var r struct {
		Result struct {
			SessionID string `json:"sessionId"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(session), &r); err != nil {
		tb.Fatal(err)
	}
	began := time.Now()
	n, _ := a.call("session/prompt", fmt.Sprintf(`"sessionId":%q,"prompt":[{"type":"text","text":"go"}]`, r.Result.SessionID))
	took := time.Since(began)
	if n < burst {
		tb.Fatalf("%d lines", n)
	}
	return took
}

// BenchmarkBurst sends one burst through a host to its clients, beside the same
// agent read by a bare reader. "ratio" is the host's events a second to one
// client over the bare reader's.
func BenchmarkBurst(b *testing.B) {
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			h := startHost(b, fmt.Sprintf("burst:%d", burst))
			peers := make([]*peer, clients)
			for i := range peers {
				peers[i] = h.dial()
				peers[i].attach("")
			}
			var through, direct time.Duration
			n := 0
			for b.Loop() {
				b.StopTimer()
				direct += bare(b)
				n++
				b.StartTimer()
				began := time.Now()
				var reading sync.WaitGroup
				for _, p := range peers {
					reading.Go(p.turn)
				}
				peers[0].prompt(n)
				reading.Wait()
				through += time.Since(began)
			}
			resets := 0
			for _, p := range peers {
				resets += p.resets
				p.c.Close()
			}
			b.ReportMetric(burst*float64(n)/through.Seconds(), "events/s")
			b.ReportMetric(burst*float64(n)/direct.Seconds(), "bare-events/s")
			b.ReportMetric(direct.Seconds()/through.Seconds(), "ratio")
			b.ReportMetric(float64(resets)/float64(n), "resets/op")
			b.ReportMetric(rss(b, h.pid), "MiB")
		})
	}
}

// BenchmarkAttach is an attach of a session with so many events behind it, from
// the request to synchronized.
func BenchmarkAttach(b *testing.B) {
	for _, events := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			h := startHost(b, fmt.Sprintf("burst:%d", events))
			p := h.dial()
			p.attach("")
			p.prompt(1)
			p.turn()
			p.c.Close()
			for b.Loop() {
				b.StopTimer()
				p := h.dial()
				b.StartTimer()
				p.attach("")
				p.until(`"synchronized"`)
				b.StopTimer()
				p.c.Close()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkIdleHost is what a host holds that has started and does nothing.
func BenchmarkIdleHost(b *testing.B) {
	mib, n := 0.0, 0
	for b.Loop() {
		h := startHost(b, "echo")
		p := h.dial()
		p.attach("") // the start is over
		p.c.Close()
		mib += rss(b, h.pid)
		n++
	}
	b.ReportMetric(mib/float64(n), "MiB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRoster is how soon the hub's list tells of a host that has just
// written its entry, and of one that was killed.
func BenchmarkRoster(b *testing.B) {
	root := home(b, "echo")
	hub := exec.Command(filepath.Join(programs, "craze-hub"), "--log", root+"/hub.log")
	hub.Env = environ(root)
	if err := hub.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		hub.Process.Signal(os.Interrupt)
		if err := hub.Wait(); err != nil {
			b.Errorf("the hub ended: %v", err)
		}
	})
	p := dialHub(b, root)
	listed := func(h *host) bool {
		p.send("sessions.list", "")
		return bytes.Contains(p.until(`"sessions"`), []byte(h.ready.HostID))
	}
	var shown, dropped time.Duration
	n := 0
	for b.Loop() {
		h := startIn(b, root)
		began := time.Now()
		for !listed(h) {
		}
		shown += time.Since(began)
		h.dial().attach("")
		h.kill()
		began = time.Now()
		for listed(h) {
		}
		dropped += time.Since(began)
		n++
	}
	b.ReportMetric(shown.Seconds()*1000/float64(n), "shown-ms")
	b.ReportMetric(dropped.Seconds()*1000/float64(n), "dropped-ms")
	b.ReportMetric(rss(b, hub.Process.Pid), "MiB")
}

// dialHub connects to the hub of a home once it serves.
func dialHub(tb testing.TB, root string) *peer {
	for {
		sockets, err := filepath.Glob(root + "/run/*/hub.sock")
		if err != nil {
			tb.Fatal(err)
		}
		if len(sockets) == 0 {
			continue
		}
		c, err := net.Dial("unix", sockets[0])
		if err != nil {
			continue
		}
		p := &peer{tb: tb, c: c, lines: wire.NewLineReader(c, proto.OutboundLineMax)}
		p.send("hello", `"protocols":[1],"client":{"kind":"bench"}`)
		p.until(`"capabilities"`)
		return p
	}
}
