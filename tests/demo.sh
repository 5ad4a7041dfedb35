#!/bin/sh
# demo.sh BIN: the main job in a scratch home. A session is started in the
# background, waited for, listed, read and stopped; nothing is left running.
set -eu
bin=$1
home=$(mktemp -d "${TMPDIR:-/tmp}/czdemo.XXXXXX")
mkdir -m 700 "$home/home" "$home/run" "$home/work"
echo "hello" > "$home/work/README.txt"
clean() { env -i HOME="$home/home" CRAZE_RUNTIME_DIR="$home/run" PATH="$PATH" TERM="${TERM:-dumb}" "$@"; }
cli() { clean "$bin/craze-cli" "$@"; }
finish() {
	status=$?
	# The hub leaves by itself a minute after its last client; here it is told to.
	for f in "$home"/home/.cache/craze/hubs/*.json; do
		[ -f "$f" ] || continue
		pid=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$f")
		kill "$pid" 2>/dev/null || true
		while kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do sleep 0.05; done
	done
	left=$(find "$home/home/.cache/craze/hosts" -name '*.json' 2>/dev/null || true)
	[ -z "$left" ] || { echo "demo: a host is still listed: $left" >&2; status=1; }
	rm -rf "$home"
	exit $status
}
trap finish EXIT
say() { printf '\n$ craze %s\n' "$*"; }

cd "$home/work"
say new --provider demo --wait '"what is in this folder?"'
cli new --provider demo --wait "what is in this folder?"
say ps
cli ps
id=$(cli ps --json | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p' | head -n 1)
say log "${id#"${id%????????}"}"
cli log "$id"
say stop "${id#"${id%????????}"}"
cli stop "$id"
say ps
cli ps
