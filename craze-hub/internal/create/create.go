// Package create starts sessions for the hub: session.create.
//
// It owns the creates in flight and their answers: a request id is answered
// once, and a repeat joins the create or is given its answer for keepAnswers.
// A create runs on a goroutine of its own that no waiter ends; Close waits for
// all of them within its context. It also owns the hosts it started as their
// parent, and reaps each. Limits: maxCreates at once, a minute for a start.
package create

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"craze/craze-hub/internal/roster"
	"craze/shared/client"
	"craze/shared/config"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/spawn"
	"craze/shared/wire"
)

const (
	// maxCreates is how many creates may run at once.
	maxCreates = 16
	// keepAnswers is how long an answer is kept for a repeat.
	keepAnswers = 10 * time.Minute
	// maxAnswers is how many are kept.
	maxAnswers = 256
	// promptWait is how long the first prompt's answer is waited for.
	promptWait = 15 * time.Second
	// rowWait is how long the row of the answer is waited for.
	rowWait = 2 * time.Second
	// stopWait is how long a host whose start failed has to end by itself.
	stopWait = 5 * time.Second
)

// Config is what a service needs. Log takes failures no client is told whole.
type Config struct {
	Registry *registry.Registry
	CrazeDir string
	Environ  []string // the hosts' whole environment
	Version  string
	Spawn    func(context.Context, spawn.HostOptions) (spawn.Ready, *spawn.Process, error)
	Binary   func() (string, error) // craze-host's path
	Log      func(error)
}

// Service runs creates.
type Service struct {
	cfg  Config
	work sync.WaitGroup // creates in flight
	kids sync.WaitGroup // hosts not yet reaped

	mu      sync.Mutex
	jobs    map[string]*job
	running int
	closed  bool
}

// job is one create, and its answer once done is closed.
type job struct {
	hash   string
	done   chan struct{}
	at     time.Time // when it was answered
	result proto.CreateResult
	err    error
}

// New makes a service.
func New(cfg Config) *Service { return &Service{cfg: cfg, jobs: map[string]*job{}} }

// Busy is how many creates run.
func (s *Service) Busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Close refuses further creates and waits, until ctx ends, for those that run.
// Hosts that were started run on.
func (s *Service) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	over := make(chan struct{})
	go func() { // ends with the last create, each of which is bounded
		s.work.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Create runs one create, or joins the one of its request id.
func (s *Service) Create(ctx context.Context, p proto.CreateParams) (proto.CreateResult, error) {
	if refusal := check(p); refusal != nil {
		return proto.CreateResult{}, refusal
	}
	j, err := s.job(p)
	if err != nil {
		return proto.CreateResult{}, err
	}
	select {
	case <-j.done:
		return j.result, j.err
	case <-ctx.Done():
		return proto.CreateResult{}, ctx.Err()
	}
}

// check refuses what is wrong with the params whatever the machine holds.
func check(p proto.CreateParams) *proto.Error {
	bad := func(format string, args ...any) *proto.Error {
		return proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, format, args...)
	}
	switch {
	case p.Cwd == "" || !filepath.IsAbs(p.Cwd) || len(p.Cwd) > proto.PathCharsMax:
		return bad("cwd is an absolute path of at most %d characters", proto.PathCharsMax)
	case p.RequestID != "" && !requestID.MatchString(p.RequestID):
		return bad("requestId is 1 to %d letters, digits, dots, dashes and underscores", proto.RequestIDMax)
	case p.PermissionMode != "" && p.PermissionMode != proto.PermBypass && p.PermissionMode != proto.PermPrompt:
		return bad("permissionMode is bypass or prompt")
	}
	return nil
}

// job gives the create of p's request id, started if there was none.
func (s *Service) job(p proto.CreateParams) (*job, error) {
	hash, err := hashOf(p)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if j := s.jobs[p.RequestID]; p.RequestID != "" && j != nil {
		if j.hash != hash {
			return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonRequestConflict, "that requestId was used with other params")
		}
		return j, nil
	}
	switch {
	case s.closed:
		return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the hub is closing")
	case s.running >= maxCreates:
		return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonBusy, "%d creates run already; try again", maxCreates)
	}
	j := &job{hash: hash, done: make(chan struct{})}
	if p.RequestID != "" {
		s.jobs[p.RequestID] = j
	}
	s.running++
	s.work.Go(func() { s.finish(j, p) }) // ends within the bounds of a start
	return j, nil
}

func (s *Service) finish(j *job, p proto.CreateParams) {
	result, err := s.run(context.Background(), p, j.hash)
	s.mu.Lock()
	s.running--
	j.result, j.err, j.at = result, err, time.Now()
	s.mu.Unlock()
	close(j.done)
}

// expire forgets answers past their time, and the oldest past their number.
func (s *Service) expire() {
	for len(s.jobs) > 0 {
		oldest, at, n := "", time.Time{}, 0
		for id, j := range s.jobs {
			if j.at.IsZero() {
				continue // in flight, and never forgotten
			}
			if n++; oldest == "" || j.at.Before(at) {
				oldest, at = id, j.at
			}
		}
		if n == 0 || n <= maxAnswers && time.Since(at) < keepAnswers {
			return
		}
		delete(s.jobs, oldest)
	}
}

func hashOf(p proto.CreateParams) (string, error) {
	p.RequestID = ""
	enc, err := wire.Encode(p)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(enc)
	return hex.EncodeToString(sum[:]), nil
}

// run starts a host and its session, and sends the first prompt. A host that
// carries the request id already is one that an earlier hub started for it.
func (s *Service) run(ctx context.Context, p proto.CreateParams, hash string) (proto.CreateResult, error) {
	earlier, err := s.earlier(p.RequestID)
	if err != nil {
		return proto.CreateResult{}, err
	}
	if earlier != nil {
		return s.join(ctx, *earlier, hash)
	}
	o, err := s.options(p, hash)
	if err != nil {
		return proto.CreateResult{}, err
	}
	ready, child, err := s.cfg.Spawn(ctx, o)
	if err != nil {
		s.cfg.Log(fmt.Errorf("spawn a host: %w", err))
		return proto.CreateResult{}, proto.Refuse(proto.CodeUnavailable, proto.ReasonSpawnFailed, "the host could not be started: %v", err)
	}
	s.kids.Go(func() { _ = child.Wait() }) // reaps it; how it ends is in its own log
	conn, refusal := s.started(ctx, ready)
	if refusal != nil {
		s.end(ctx, ready, child)
		return proto.CreateResult{}, refusal
	}
	result := proto.CreateResult{Prompt: proto.FirstNone}
	if p.Prompt != "" {
		result.Prompt, result.PromptError = prompt(ctx, conn, ready.CrazeSessionID, p.Prompt)
	}
	_ = conn.Close() // the session runs on
	result.Session = s.row(ctx, ready)
	return result, nil
}

// earlier finds the live host of this craze directory that carries a request
// id. A registry, or an entry in it, that cannot be read leaves that unknown,
// and then nothing is started.
func (s *Service) earlier(id string) (*registry.Entry, error) {
	if id == "" {
		return nil, nil
	}
	unknown := proto.Refuse(proto.CodeUnavailable, proto.ReasonHostUnreachable,
		"whether that request has started a session cannot be told; try again")
	hosts, err := s.cfg.Registry.Hosts()
	if err != nil {
		s.cfg.Log(err)
		return nil, unknown
	}
	ns := sock.Namespace(s.cfg.CrazeDir)
	for _, h := range hosts {
		if h.Err != nil {
			s.cfg.Log(h.Err)
			return nil, unknown
		}
		if h.Entry.RequestID == id && filepath.Base(filepath.Dir(h.Entry.Socket)) == ns {
			return &h.Entry, nil
		}
	}
	return nil, nil
}

// join answers a create with the session that an earlier hub started for it.
// What became of its first prompt this hub cannot know.
func (s *Service) join(ctx context.Context, e registry.Entry, hash string) (proto.CreateResult, error) {
	if e.RequestHash != hash {
		return proto.CreateResult{}, proto.Refuse(proto.CodeBadRequest, proto.ReasonRequestConflict, "that requestId was used with other params")
	}
	ready := spawn.Ready{HostID: e.HostID, Socket: e.Socket, CrazeSessionID: e.CrazeSessionID}
	conn, refusal := s.started(ctx, ready)
	if refusal != nil {
		return proto.CreateResult{}, refusal
	}
	_ = conn.Close() // the session runs on
	return proto.CreateResult{Session: s.row(ctx, ready), Prompt: proto.FirstUnknown, PromptError: client.ErrResumeLost}, nil
}

// options are the host's launch. A directory or a provider that is not there
// is the client's mistake.
func (s *Service) options(p proto.CreateParams, hash string) (spawn.HostOptions, error) {
	bad := func(format string, args ...any) error {
		return proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, format, args...)
	}
	info, err := os.Stat(p.Cwd)
	if err != nil || !info.IsDir() {
		return spawn.HostOptions{}, bad("cwd is not an existing directory")
	}
	cfg, _, err := config.Load(s.cfg.CrazeDir)
	if err != nil {
		s.cfg.Log(err)
	}
	id := p.Provider
	if id == "" {
		id = cfg.DefaultProvider()
	}
	if id == "" {
		return spawn.HostOptions{}, bad("no provider was named and config.toml sets none: name one, such as demo")
	}
	if _, perr := cfg.Provider(id); perr != nil {
		if err != nil {
			perr = err
		}
		return spawn.HostOptions{}, bad("%v", perr)
	}
	binary, err := s.cfg.Binary()
	if err != nil {
		return spawn.HostOptions{}, proto.Refuse(proto.CodeUnavailable, proto.ReasonSpawnFailed, "%v", err)
	}
	host, err := registry.NewHostID()
	if err != nil {
		return spawn.HostOptions{}, err
	}
	o := spawn.HostOptions{
		Binary: binary, Env: s.cfg.Environ, HostID: host, Workspace: filepath.Clean(p.Cwd), Provider: id,
		Model: p.Model, Effort: p.Effort, Fast: p.Fast, PermissionMode: p.PermissionMode,
		RequestID: p.RequestID, Log: s.cfg.Registry.LogPath(host + ".log"),
	}
	if o.PermissionMode == "" {
		o.PermissionMode = proto.PermBypass
	}
	if p.RequestID != "" {
		o.RequestHash = hash
	}
	o.Pgids = func() []byte {
		lines, err := s.cfg.Registry.ReadPgids(host)
		if err != nil {
			return nil // it had no agent yet
		}
		return lines
	}
	return o, nil
}

// started waits for the session's start on a connection of its own.
func (s *Service) started(ctx context.Context, ready spawn.Ready) (*client.Conn, *proto.Error) {
	ctx, cancel := context.WithTimeout(ctx, proto.CreateStart)
	defer cancel()
	conn, err := client.Connect(ctx, client.Config{
		Dial: client.Socket(ready.Socket), Kind: "hub", Version: s.cfg.Version, Want: proto.KindHost,
	})
	if err == nil {
		_, err = conn.Attach(ctx, proto.AttachParams{SessionID: ready.CrazeSessionID, When: proto.WhenReady})
		if err == nil {
			return conn, nil
		}
		err = errors.Join(err, conn.Close())
	}
	refusal := proto.Refuse(proto.CodeNotAccepting, proto.ReasonStartFailed, "the session did not start")
	if e, ok := errors.AsType[*proto.Error](err); ok {
		refusal.Data.Cause = e.Data.Cause
	}
	if refusal.Data.Cause == "" {
		refusal.Data.Cause = fmt.Sprintf("the session did not start within %v", proto.CreateStart)
	}
	return nil, refusal
}

// prompt sends the first prompt and says what became of it.
func prompt(ctx context.Context, conn *client.Conn, session, text string) (string, *proto.Error) {
	ctx, cancel := context.WithTimeout(ctx, promptWait)
	defer cancel()
	_, err := conn.Prompt(ctx, session, text)
	if err == nil {
		return proto.FirstAccepted, nil
	}
	if e, ok := errors.AsType[*proto.Error](err); ok && e.Data.Code != proto.CodeDisconnected {
		return proto.FirstRefused, e
	}
	return proto.FirstUnknown, client.ErrResumeLost
}

// end stops a host whose session did not start: it asks, then terminates its
// own child, and waits until it is reaped.
func (s *Service) end(ctx context.Context, ready spawn.Ready, child *spawn.Process) {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	conn, err := client.Connect(ctx, client.Config{Dial: client.Socket(ready.Socket), Kind: "hub", Want: proto.KindHost})
	if err == nil {
		err = errors.Join(conn.Stop(ctx, ready.CrazeSessionID), conn.Close())
	}
	if err == nil {
		select {
		case <-child.Done():
			return
		case <-ctx.Done():
		}
	}
	child.Terminate(context.WithoutCancel(ctx))
}

// row is the session's roster row, fresh from its host where that answers.
func (s *Service) row(ctx context.Context, ready spawn.Ready) proto.RosterRow {
	ctx, cancel := context.WithTimeout(ctx, rowWait)
	defer cancel()
	entry := registry.Entry{HostID: ready.HostID, CrazeSessionID: ready.CrazeSessionID, Protocol: proto.Version}
	if h, ok, err := s.cfg.Registry.Host(ready.HostID); err == nil && ok && h.Err == nil {
		entry = h.Entry
	}
	conn, err := client.Connect(ctx, client.Config{Dial: client.Socket(ready.Socket), Kind: "hub", Want: proto.KindHost})
	if err != nil {
		return roster.Row(entry, ready.Version, nil, proto.Unreachable, true)
	}
	row, err := roster.ReadRow(ctx, conn)
	_ = conn.Close() // it was for one read
	if err != nil {
		return roster.Row(entry, ready.Version, nil, proto.Unreachable, true)
	}
	return roster.Row(entry, ready.Version, row, proto.Reachable, false)
}
