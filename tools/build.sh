#!/bin/sh
# Runs `go build -o OUTPUT FLAGS PACKAGES` and reports on stderr how many of the
# stale packages are compiled: on a terminal in one line that changes, elsewhere
# in a line for every hundred. Exits with the status of `go build`.
#
#   tools/build.sh OUTPUT "PACKAGES" [FLAGS...]
set -eu

output=$1 packages=$2
shift 2

echo "build: find the packages, and download those that are missing" >&2
# shellcheck disable=SC2086 # a list of packages
stale=$(go list -deps -f '{{if .Stale}}stale{{end}}' "$@" $packages) || exit
stale=$(echo "$stale" | grep -c stale) || true

terminal=""
if [ -t 2 ]; then terminal=1; fi

{
	code=0
	# shellcheck disable=SC2086 # as above
	go build -v -o "$output" "$@" $packages 2>&1 || code=$?
	echo "exit $code"
} | {
	compiled=0 code=1
	while IFS= read -r line; do
		case $line in
		"exit "*) code=${line#exit } ;;
		*[!a-zA-Z0-9._/~-]*) echo "$line" >&2 ;; # not a package name, so an error message
		*)
			compiled=$((compiled + 1))
			if [ "$terminal" ]; then
				printf '\rbuild: compiled %d of %d packages ' "$compiled" "$stale" >&2
			elif [ $((compiled % 100)) = 0 ]; then
				echo "build: compiled $compiled of $stale packages" >&2
			fi
			;;
		esac
	done
	if [ "$terminal" ] && [ "$compiled" -gt 0 ]; then echo >&2; fi
	if [ "$code" = 0 ]; then echo "build: done, $compiled packages compiled" >&2; fi
	exit "$code"
}
