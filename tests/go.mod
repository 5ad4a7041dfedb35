module craze/tests

go 1.26.0

require (
	craze/shared v0.0.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.50.0
)

require pgregory.net/rapid v1.3.0 // indirect

replace (
	craze/craze-host => ../craze-host
	craze/shared => ../shared
)
