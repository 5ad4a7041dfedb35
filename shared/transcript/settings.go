package transcript

import (
	"slices"

	"craze/shared/proto"
)

// Settings are a session's state sections, each as the last delta that
// carried it left it. What the pointers lead to must not be changed; nil is a
// section no delta has carried.
type Settings struct {
	Title     string              `json:"title,omitzero"`
	Mode      string              `json:"mode,omitzero"`
	Model     string              `json:"model,omitzero"`
	Config    *proto.Config       `json:"config,omitzero"`
	Commands  *proto.Commands     `json:"commands,omitzero"`
	Plugins   *proto.Plugins      `json:"plugins,omitzero"`
	SendNow   *proto.SendNow      `json:"sendNow,omitzero"`
	Usage     *proto.Usage        `json:"usage,omitzero"`
	Catalog   *proto.ModelList    `json:"catalog,omitzero"`
	Slash     *proto.SlashCatalog `json:"slash,omitzero"`
	Truncated Truncated           `json:"truncated,omitzero"`
}

// Truncated says which sections a snapshot does not carry whole. Slash with
// no catalog says there was no room for it.
type Truncated struct {
	Title    bool `json:"title,omitzero"`
	Mode     bool `json:"mode,omitzero"`
	Model    bool `json:"model,omitzero"`
	Config   bool `json:"config,omitzero"`
	Commands bool `json:"commands,omitzero"`
	Plugins  bool `json:"plugins,omitzero"`
	SendNow  bool `json:"sendNow,omitzero"`
	Catalog  bool `json:"catalog,omitzero"`
	Slash    bool `json:"slash,omitzero"`
}

// meta folds a state delta, in either of its forms.
func (s *State) meta(ev *proto.Event) {
	set := &s.settings
	if ev.Text != "" {
		setString(&set.Title, &set.Truncated.Title, ev.Text, s.lim.str)
	}
	if ev.Mode != "" {
		setString(&set.Mode, &set.Truncated.Mode, ev.Mode, s.lim.str)
	}
	d := ev.State
	if d == nil {
		return
	}
	if d.Title != nil {
		setString(&set.Title, &set.Truncated.Title, *d.Title, s.lim.str)
	}
	if d.Mode != "" {
		setString(&set.Mode, &set.Truncated.Mode, d.Mode, s.lim.str)
	}
	if d.Model != "" {
		setString(&set.Model, &set.Truncated.Model, d.Model, s.lim.str)
	}
	s.settings.replace(d, s.lim.str)
}

// replace takes the sections that are objects.
func (set *Settings) replace(d *proto.StateDelta, most int) {
	cut := &set.Truncated
	if d.Config != nil {
		set.Config, cut.Config = fit(d.Config, walkConfig, most)
	}
	if d.Commands != nil {
		set.Commands, cut.Commands = fit(d.Commands, walkCommands, most)
	}
	if d.Plugins != nil {
		set.Plugins, cut.Plugins = fit(d.Plugins, walkPlugins, most)
	}
	if d.SendNow != nil {
		set.SendNow, cut.SendNow = fit(d.SendNow, walkSendNow, most)
	}
	if d.Usage != nil {
		set.Usage = d.Usage
	}
	// A list older than the one held is one the session has moved past.
	if c := d.Catalog; c != nil && (set.Catalog == nil || c.Revision >= set.Catalog.Revision) {
		set.Catalog, cut.Catalog = fit(c, walkCatalog, most)
	}
	if d.Slash != nil {
		set.Slash, cut.Slash = fitSlash(d.Slash, most)
	}
}

func setString(to *string, cut *bool, v string, most int) {
	fitted, over := fit(&v, walkString, most)
	*to, *cut = *fitted, over
}

// fitSlash bounds a slash catalog without altering what any row does: a row
// with a long key is left out, and only prose is cut.
func fitSlash(c *proto.SlashCatalog, most int) (*proto.SlashCatalog, bool) {
	long := func(r proto.SlashRow) bool {
		over := false
		walkSlashKeys(&r, func(s *string) { over = over || len(*s) > most })
		return over
	}
	cut := false
	if len(c.Items) > slashRowsMax || slices.ContainsFunc(c.Items, long) {
		items := slices.DeleteFunc(slices.Clone(c.Items), long)
		items = items[:min(len(items), slashRowsMax)]
		c, cut = &proto.SlashCatalog{Items: items}, true
	}
	fitted, over := fit(c, walkSlashProse, most)
	return fitted, cut || over
}
