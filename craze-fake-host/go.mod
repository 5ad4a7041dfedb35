module craze/craze-fake-host

go 1.26.0

require (
	craze/craze-host v0.0.0
	craze/shared v0.0.0
)

replace (
	craze/craze-host => ../craze-host
	craze/shared => ../shared
)
