#!/bin/sh
# Puts files of other projects where packages embed them: the viewer of the contracts
# (package docs), the style sheet and the icons of pages (package design). What is copied
# is kept in a cache outside the tree, so that the next checkout needs neither npm nor a
# network (docs/adr/0020, docs/adr/0091).
#
# install.sh            fails if the files cannot be installed
# install.sh --optional prints a message; the build then works without the files
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
viewer=$tree/docs/api/swagger-ui/dist
design=$tree/apiserver/design/assets/dist

# A stamp records the installed version; the embedding leaves out names with a dot.
stamp=$(cat "$here/install.sh" "$here/icons.txt" "$here/.npmrc" "$here/package.json" "$here/package-lock.json" | cksum | tr ' ' '-')
fresh() { [ "$(cat "$1/.stamp" 2>/dev/null)" = "$stamp" ]; }
fresh "$viewer" && fresh "$design" && exit 0

option=${1:-}
missing() { # missing REASON: without the files everything else works
	echo "page-assets: $1" >&2
	if [ "$option" = "--optional" ]; then
		echo "page-assets: building without the viewer of the contracts, and with plainer pages; run make page-assets for both" >&2
		exit 0
	fi
	echo "page-assets: install npm (tools/setup.sh does it on Debian), or copy $cache from another machine" >&2
	exit 1
}

root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/page-assets
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
	modules=$work/node_modules
	mkdir -p "$work/kept/viewer" "$work/kept/design/icons"
	for file in swagger-ui-bundle.js swagger-ui-bundle.js.LICENSE.txt swagger-ui.css; do
		cp "$modules/swagger-ui-dist/$file" "$work/kept/viewer/$file"
	done
	cp "$modules/swagger-ui-dist/LICENSE" "$work/kept/viewer/LICENSE.txt"
	cp "$modules/swagger-ui-dist/NOTICE" "$work/kept/viewer/NOTICE.txt"
	cp "$modules/@picocss/pico/css/pico.fluid.classless.min.css" "$work/kept/design/pico.css"
	cp "$modules/@picocss/pico/LICENSE.md" "$work/kept/design/pico-license.txt"
	cp "$modules/lucide-static/LICENSE" "$work/kept/design/lucide-license.txt"
	while read -r icon; do
		cp "$modules/lucide-static/icons/$icon.svg" "$work/kept/design/icons/$icon.svg"
	done <"$here/icons.txt"
	# Where flock is missing, a second installation may have come first.
	[ -d "$cache" ] || mv "$work/kept" "$cache"
fi

put() { # put PART DIRECTORY
	rm -rf "$2"
	mkdir -p "$2"
	cp -R "$cache/$1/." "$2/"
	echo "$stamp" >"$2/.stamp"
}
put viewer "$viewer"
put design "$design"
