module craze/craze-fake-host

go 1.26.0

require (
	craze/craze-host v0.0.0
	craze/shared v0.0.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/uuid v1.6.0
)

require (
	github.com/charmbracelet/x/ansi v0.11.9 // indirect
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/mattn/go-runewidth v0.0.27 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	craze/craze-host => ../craze-host
	craze/shared => ../shared
)
