package spawn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// HostOptions say what to start. Binary, HostID and Workspace are required;
// an empty option is left to the host.
type HostOptions struct {
	Binary         string   // craze-host's path
	Env            []string // the host's whole environment
	HostID         string
	Workspace      string
	Provider       string
	Model          string
	Effort         string
	Fast           *bool
	PermissionMode string
	RequestID      string
	RequestHash    string
	Log            string // path of the host's log
	AgentBin       string
	// Pgids gives the lines the host recorded of its agents' process groups;
	// they are killed when the start fails. Nil kills none.
	Pgids func() []byte
}

func (o HostOptions) args() []string {
	args := []string{o.Binary, "--ready-fd", strconv.Itoa(readyFD), "--host-id", o.HostID, "--workspace", o.Workspace}
	for _, f := range []struct{ name, value string }{
		{"--provider", o.Provider},
		{"--model", o.Model},
		{"--effort", o.Effort},
		{"--permission-mode", o.PermissionMode},
		{"--request-id", o.RequestID},
		{"--request-hash", o.RequestHash},
		{"--log", o.Log},
		{"--agent-bin", o.AgentBin},
	} {
		if f.value != "" {
			args = append(args, f.name+"="+f.value)
		}
	}
	if o.Fast != nil {
		args = append(args, fmt.Sprintf("--fast=%v", *o.Fast))
	}
	return args
}

// StartHost starts a host and reads its ready line. An error leaves nothing
// running, though ctx ended. It is a *HeldError when another host holds the
// session, and ErrRefused when the session asked for is the problem.
func StartHost(ctx context.Context, o HostOptions) (Ready, *Process, error) {
	if o.Binary == "" || o.HostID == "" || !filepath.IsAbs(o.Workspace) {
		return Ready{}, nil, errors.New("spawn: a host needs its binary, an id and an absolute workspace")
	}
	p, r, err := start(o.args(), o.Env, o.Workspace)
	if err != nil {
		return Ready{}, nil, err
	}
	ready, err := p.await(ctx, r)
	if err == nil && ready.HostID != o.HostID {
		p.Terminate(ctx)
		err = errors.New("the host started under another id than it was given")
	}
	if err != nil {
		if o.Pgids != nil {
			KillGroups(o.Pgids())
		}
		return ready, nil, err
	}
	return ready, p, nil
}

// HubOptions say which hub to start.
type HubOptions struct {
	Binary string // craze-hub's path
	Env    []string
	Log    string // path of the hub's log; "" is the hub's own choice
}

// StartHub starts a hub and waits until it serves. A *HeldError says another
// hub serves already; the caller dials that one.
func StartHub(ctx context.Context, o HubOptions) (Ready, *Process, error) {
	args := []string{o.Binary, "--spawned", "--ready-fd", strconv.Itoa(readyFD)}
	if o.Log != "" {
		args = append(args, "--log", o.Log)
	}
	p, r, err := start(args, o.Env, "/")
	if err != nil {
		return Ready{}, nil, err
	}
	ready, err := p.await(ctx, r)
	if err != nil {
		return ready, nil, err
	}
	return ready, p, nil
}
