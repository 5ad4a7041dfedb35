package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	ucli "github.com/urfave/cli/v2"

	"craze/craze-cli/internal/render"
	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/text"
)

const (
	// hostWait is how long one host has to give its row when there is no hub.
	hostWait = 500 * time.Millisecond
	// hostsAtOnce is how many are asked at a time then.
	hostsAtOnce = 8
	// replyCells is how much of a last reply stands in for a title.
	replyCells = 60
)

func (a *app) ps(c *ucli.Context) error {
	if c.NArg() > 0 {
		return usage("ps takes no argument")
	}
	roster, err := a.roster(c)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(roster)
		return nil
	}
	if len(roster.Sessions) == 0 {
		a.notef("no sessions; craze new starts one\n")
		return nil
	}
	var list []render.Session
	for _, r := range roster.Sessions {
		list = append(list, a.session(r))
	}
	render.Sort(list)
	a.printf("%s", render.Table(list, time.Now(), a.env.Width))
	return nil
}

func (a *app) session(r proto.RosterRow) render.Session {
	row, err := client.ParseRow(r)
	if err != nil {
		row = proto.Row{} // a row this build cannot read says what the registry does
	}
	s := render.Session{
		Short: short(r.SessionID), State: render.State(r.Status, row), Provider: r.Host.Provider,
		Model: row.Model, Dir: text.Tilde(r.Host.Workspace, a.env.Getenv("HOME")), Since: row.Since, Title: row.Title,
	}
	if s.Title == "" {
		s.Title = text.OneLine(row.LastReply, replyCells) // says more than nothing of what the session is
	}
	if row.HeadAsk != nil {
		s.Title = row.HeadAsk.Label
	}
	if s.Since.IsZero() {
		s.Since = r.Host.StartedAt
	}
	return s
}

// roster is the hub's, or read from each host where there is to be no hub or
// can be none.
func (a *app) roster(c *ucli.Context) (proto.RosterResult, error) {
	if !c.Bool("no-hub") {
		ctx, cancel := context.WithTimeout(c.Context, hubWait)
		defer cancel()
		hub, err := a.hub(ctx)
		if err == nil {
			var r proto.RosterResult
			r, err = hub.Roster(ctx)
			if err = errors.Join(err, hub.Close()); err == nil {
				return r, nil
			}
		}
		if c.Context.Err() != nil {
			return proto.RosterResult{}, err
		}
		a.notef("craze: no hub (%v); asking each host\n", err)
	} else {
		a.notef("craze: asking each host\n")
	}
	return a.askHosts(c.Context)
}

func (a *app) askHosts(ctx context.Context) (proto.RosterResult, error) {
	reg, err := a.registry()
	if err != nil {
		return proto.RosterResult{}, err
	}
	defer reg.Close()
	hosts, err := reg.Hosts()
	if err != nil {
		return proto.RosterResult{}, err
	}
	rows := make([]*proto.RosterRow, len(hosts))
	slots := make(chan struct{}, hostsAtOnce)
	var asking sync.WaitGroup
	for i, h := range hosts {
		if h.Err != nil || h.Entry.Stopping || h.Entry.CrazeSessionID == "" {
			continue
		}
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			rows[i] = a.askHost(ctx, h)
		})
	}
	asking.Wait()
	var r proto.RosterResult
	for _, row := range rows {
		if row != nil {
			r.Sessions = append(r.Sessions, *row)
		}
	}
	return r, nil
}

func (a *app) askHost(ctx context.Context, h registry.Host) *proto.RosterRow {
	ctx, cancel := context.WithTimeout(ctx, hostWait)
	defer cancel()
	e := h.Entry
	r := &proto.RosterRow{HostID: h.ID, SessionID: e.CrazeSessionID, Status: proto.Unreachable, Approximate: true, Host: proto.RosterHost{
		PID: e.PID, Protocol: e.Protocol, Provider: e.Provider, Workspace: e.Workspace, StartedAt: e.StartedAt, Ready: e.Ready,
	}}
	conn, err := client.Connect(ctx, client.Config{Dial: client.Socket(e.Socket), Kind: kind, Want: proto.KindHost})
	if err != nil {
		return r
	}
	defer conn.Close()
	var list struct {
		Sessions []jsontext.Value `json:"sessions"`
	}
	if conn.Call(ctx, proto.MethodList, proto.Empty{}, &list) == nil && len(list.Sessions) == 1 {
		r.Row, r.Status, r.Approximate = list.Sessions[0], proto.Reachable, false
		r.Host.CrazeVersion = conn.Hello().Endpoint.CrazeVersion
	}
	return r
}
