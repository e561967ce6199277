#!/bin/sh
# Puts axe-core, by which tests judge how accessible pages are, into a cache outside
# the tree (docs/adr/0043), and prints the directory that holds it. It is no part of
# the repository, nor of anything that is built from it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/.*"axe-core": "\([0-9.]*\)".*/\1/p' "$here/package.json")
root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/axe
cache=$root/axe-core-$version
# The stamp detects another digest under the same version.
stamp=$(cat "$here/install.sh" "$here/.npmrc" "$here/package.json" "$here/package-lock.json" | cksum)
fresh() { [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ]; }
if fresh; then
	echo "$cache"
	exit 0
fi

mkdir -p "$root"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$root/lock"
	flock 9
fi
if fresh; then
	echo "$cache"
	exit 0
fi

if ! command -v npm >/dev/null 2>&1; then
	echo "axe: install npm (tools/setup.sh does it on Debian), or copy $cache from another machine" >&2
	exit 1
fi
work=$(mktemp -d "$root/.installing-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$work/"
# npm compares what it gets with the digest of the lock file.
(cd "$work" && npm ci --loglevel=error 9>&-) >&2
mkdir "$work/kept"
cp "$work/node_modules/axe-core/axe.min.js" "$work/node_modules/axe-core/LICENSE" "$work/kept/"
echo "$stamp" >"$work/kept/stamp"
rm -rf "$cache"
mv "$work/kept" "$cache"
echo "$cache"
