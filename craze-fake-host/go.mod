module craze/craze-fake-host

go 1.26.0

require (
	craze/craze-host v0.0.0
	craze/shared v0.0.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/uuid v1.6.0
)

replace (
	craze/craze-host => ../craze-host
	craze/shared => ../shared
)
