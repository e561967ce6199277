#!/bin/sh
# Puts the viewer of the contracts where package docs embeds it. What is copied
# is kept in a cache outside the tree, so that the next checkout needs neither
# npm nor a network (docs/adr/0020).
#
# install.sh            fails if the viewer cannot be installed
# install.sh --optional prints a message; the page then explains how to install it
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$here/../.." && pwd)/docs/api/swagger-ui/dist
files="swagger-ui-bundle.js swagger-ui-bundle.js.LICENSE.txt swagger-ui.css LICENSE NOTICE"

# A stamp records the installed version; the embedding leaves out names with a dot.
stamp=$(cat "$here/install.sh" "$here/.npmrc" "$here/package.json" "$here/package-lock.json" | cksum | tr ' ' '-')
fresh() { [ "$(cat "$dist/.stamp" 2>/dev/null)" = "$stamp" ]; }
fresh && exit 0

option=${1:-}
missing() { # missing REASON: without the viewer everything else works
	echo "swagger-ui: $1" >&2
	if [ "$option" = "--optional" ]; then
		echo "swagger-ui: building without it; /docs/api/swagger-ui.html will say how to get it" >&2
		exit 0
	fi
	echo "swagger-ui: install npm (tools/setup.sh does it on Debian), or copy $cache from another machine" >&2
	exit 1
}

root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/swagger-ui
cache=$root/$stamp
mkdir -p "$root"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$root/lock"
	flock 9
fi

if [ ! -d "$cache" ]; then
	command -v npm >/dev/null 2>&1 || missing "npm is not installed, and the cache is empty"
	work=$(mktemp -d "$root/.installing-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM HUP
	cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$work/"
	# An optional installation does not wait for an unavailable network.
	patience=""
	[ "$option" != "--optional" ] || patience="--fetch-retries=0 --fetch-timeout=20000"
	# npm compares what it gets with the digests of the lock file.
	(cd "$work" && npm ci --loglevel=error $patience 9>&-) >&2 || missing "npm could not install it"
	mkdir "$work/kept"
	for file in $files; do
		cp "$work/node_modules/swagger-ui-dist/$file" "$work/kept/$file"
	done
	mv "$work/kept/LICENSE" "$work/kept/LICENSE.txt"
	mv "$work/kept/NOTICE" "$work/kept/NOTICE.txt"
	# Where flock is missing, a second installation may have come first.
	[ -d "$cache" ] || mv "$work/kept" "$cache"
fi

rm -rf "$dist"
mkdir -p "$dist"
cp "$cache"/* "$dist/"
echo "$stamp" >"$dist/.stamp"
