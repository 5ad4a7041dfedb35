module craze/craze-hub

go 1.26.0

require craze/shared v0.0.0

replace craze/shared => ../shared
