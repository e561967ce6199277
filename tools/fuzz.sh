#!/bin/sh
# Runs every fuzz target for the given time, one after the other.
set -eu
time="$1"
grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
	dir=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r target; do
		echo "== $dir $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$dir"
	done
done
