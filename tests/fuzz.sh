#!/bin/sh
# fuzz.sh TIME: every fuzz target of the workspace, one after the other.
set -eu
cd "$(dirname "$0")/.."
grep -rl --include='*_test.go' '^func Fuzz' . | while read -r f; do
	pkg=$(dirname "$f")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$f" | while read -r t; do
		echo "== $pkg $t"
		go test -run '^$' -fuzz "^$t\$" -fuzztime "$1" "$pkg" </dev/null
	done
done
