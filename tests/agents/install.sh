#!/usr/bin/env bash
# install.sh DIR puts the real agents, at the versions pinned here, into DIR:
#
#   DIR/bin/opencode    DIR/bin/grok
#
# It is quick when they are there already, and starts over when they are not
# whole. Both npm packages ship a stub that a postinstall replaces with the
# program; npm is told to run no scripts, and the two are run by hand, so that a
# machine whose npm never runs scripts ends up with the same files.
set -euo pipefail

opencode_version=1.18.33
grok_version=1.0.41

[ $# -eq 1 ] || { echo "usage: install.sh DIR" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
stamp=$dir/installed # written last: without it the folder is not whole
log=$dir/install.log
want="opencode-ai@$opencode_version @xai-official/grok@$grok_version"

if [ -x "$dir/bin/opencode" ] && [ -x "$dir/bin/grok" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
	exit 0
fi

# What npm says names the registry, so it goes to the log, in a git-ignored
# folder, and only its error code is shown.
failed() {
	grep -oE '^npm (error|ERR!) code [A-Z0-9_]+' "$log" >&2 || true
	echo "install.sh: $1 failed; the output is in $log" >&2
	exit 1
}

rm -rf "$stamp" "$dir/bin" "$dir/node_modules" "$dir/package.json"
cat >"$dir/package.json" <<JSON
{
  "private": true,
  "dependencies": {
    "opencode-ai": "$opencode_version",
    "@xai-official/grok": "$grok_version"
  }
}
JSON
npm install --prefix "$dir" --ignore-scripts --no-package-lock --no-audit --no-fund \
	>"$log" 2>&1 || failed "npm install"

# The postinstalls would write to the user's folders: opencode's by starting what
# it installed, grok's by filling GROK_HOME with a second copy and a configuration
# that names the registry. They get folders of their own that go away.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch XDG_CACHE_HOME=$scratch XDG_STATE_HOME=$scratch
(cd "$dir/node_modules/opencode-ai" && node postinstall.mjs) >>"$log" 2>&1 ||
	failed "opencode's postinstall"
# Only for an npm user agent does grok put a copy beside its package.
(cd "$dir/node_modules/@xai-official/grok" &&
	GROK_HOME=$scratch npm_config_user_agent=npm/install.sh node bin/postinstall.js) >>"$log" 2>&1 ||
	failed "grok's postinstall"

# The program is called opencode.exe on every system.
mkdir "$dir/bin"
ln -s ../node_modules/opencode-ai/bin/opencode.exe "$dir/bin/opencode"
ln -s ../node_modules/@xai-official/grok/bin/grok-native "$dir/bin/grok"
[ -x "$dir/bin/opencode" ] && [ -x "$dir/bin/grok" ] || failed "finding the programs"
echo "$want" >"$stamp"
