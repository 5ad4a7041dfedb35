module craze/schema

go 1.26.0
