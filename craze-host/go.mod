module craze/craze-host

go 1.26.0

require craze/shared v0.0.0

require github.com/go-json-experiment/json v1.27.2 // indirect

replace craze/shared => ../shared
