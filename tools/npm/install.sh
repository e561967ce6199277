#!/bin/sh
# Installs the npm packages of package.json into a cache outside the tree, and prints the
# directory node_modules that contains them. Tests and generators use the packages
# (docs/adr/0065). They are neither part of the repository nor of a build.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/npm
# The checksum detects other versions and other digests.
cache=$root/$(cat "$here/.npmrc" "$here/package.json" "$here/package-lock.json" | cksum | tr ' ' '-')

mkdir -p "$root"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$root/lock"
	flock 9
fi
if [ ! -d "$cache" ]; then
	if ! command -v npm >/dev/null 2>&1; then
		echo "npm: install npm (tools/setup.sh does it on Debian), or copy $cache from another machine" >&2
		exit 1
	fi
	work=$(mktemp -d "$root/.installing-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM HUP
	cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$work/"
	# npm compares each package with the digest of the lock file.
	(cd "$work" && npm ci --loglevel=error 9>&-) >&2
	mv "$work" "$cache"
fi
# Tests that run without make find the packages here.
ln -sfn "$cache" "$root/current"
echo "$cache/node_modules"
