package fakemodel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"craze/tests/fakemodel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestModelsAreListed(t *testing.T) {
	s := start(t)
	r := do(t, t.Context(), http.MethodGet, s.URL()+"/v1/models", "")
	var list struct{ Data []struct{ ID string } }
	parse(t, readAll(t, r), &list)
	if len(list.Data) == 0 || list.Data[0].ID != "lab-model" {
		t.Errorf("models are %+v", list.Data)
	}
}

func TestOtherPathsAreRefused(t *testing.T) {
	s := start(t)
	if r := post(t, s.URL()+"/v1/embeddings", "{}"); r.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", r.StatusCode)
	}
}

func TestRequestsAreKept(t *testing.T) {
	s := start(t)
	_ = readAll(t, post(t, s.URL()+"/a/messages", "{}"))
	_ = readAll(t, do(t, t.Context(), http.MethodGet, s.URL()+"/b/models", ""))
	if err := s.Await(t.Context(), all(fakemodel.Answered, 2)); err != nil {
		t.Fatal(err)
	}
	want := []fakemodel.Request{
		{Method: "POST", Path: "/a/messages", Body: []byte("{}"), Outcome: fakemodel.Answered},
		{Method: "GET", Path: "/b/models", Body: []byte{}, Outcome: fakemodel.Answered},
	}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Await(ctx, all(fakemodel.Answered, 1)); err == nil {
		t.Error("no error")
	}
}

// An hour's pause: the test ends only if the wait does.
const endless = "SLOW:3600000 LONG:10"

func TestAClientThatLeavesEndsItsAnswer(t *testing.T) {
	for name, d := range dialects {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", name, stream), func(t *testing.T) {
				s := start(t)
				ctx, leave := context.WithCancel(t.Context())
				left := make(chan struct{})
				go func() { // ends when the request does, by leave
					defer close(left)
					ask(ctx, s.URL()+d.path, d.ask(stream, endless))
				}()
				if err := s.Await(t.Context(), all(fakemodel.Running, 1)); err != nil {
					t.Fatal(err)
				}
				leave()
				<-left
				if err := s.Await(t.Context(), all(fakemodel.Abandoned, 1)); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestCloseBreaksAnswersOff(t *testing.T) {
	s := start(t)
	d := dialects["messages"]
	r := post(t, s.URL()+d.path, d.ask(true, endless))
	s.Close()
	if _, err := io.ReadAll(r.Body); err == nil {
		t.Error("the answer came to a regular end")
	}
	if err := s.Await(t.Context(), all(fakemodel.Abandoned, 1)); err != nil {
		t.Fatal(err)
	}
}

// all is true of n requests that ended so.
func all(outcome string, n int) func([]fakemodel.Request) bool {
	return func(requests []fakemodel.Request) bool {
		for _, r := range requests {
			if r.Outcome != outcome {
				return false
			}
		}
		return len(requests) == n
	}
}

func start(t *testing.T) *fakemodel.Server {
	t.Helper()
	s, err := fakemodel.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	return do(t, t.Context(), http.MethodPost, url, body)
}

// do makes a request on a connection of its own, which ends with the body.
func do(t *testing.T, ctx context.Context, method, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// ask makes a request and reads its answer until something fails.
func ask(ctx context.Context, url, body string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	for buf := make([]byte, 1024); err == nil; {
		_, err = resp.Body.Read(buf)
	}
}

// doc fills a JSON document; a string becomes a JSON string.
func doc(format string, stream bool, texts ...string) string {
	args := []any{stream}
	for _, text := range texts {
		quoted, _ := json.Marshal(text) // a string always can be
		args = append(args, string(quoted))
	}
	return fmt.Sprintf(format, args...)
}
