module craze/tests

go 1.26.0

require (
	craze/craze-host v0.0.0
	craze/shared v0.0.0
)

require (
	github.com/google/go-cmp v0.7.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	craze/craze-host => ../craze-host
	craze/shared => ../shared
)
