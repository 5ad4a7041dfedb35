module craze/craze-fake-agent

go 1.26.0
