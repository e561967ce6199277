#!/usr/bin/env bash
# Prints the packages that a change touches and the packages whose tests import
# them: everything that differs from the revision $1, committed or not.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:?usage: affected.sh REVISION}
files=$(git diff --name-only "$base" -- && git ls-files --others --exclude-standard)
if grep -qE '^(go\.mod|go\.sum)$' <<<"$files"; then
	go list ./...
	exit
fi
# The package of a file is the nearest directory above it that has Go files.
changed=$(while IFS= read -r file; do
	directory=$(dirname "$file")
	while [ "$directory" != . ] && ! compgen -G "$directory/*.go" >/dev/null; do
		directory=$(dirname "$directory")
	done
	[ "$directory" = . ] && compgen -G "./$file" >/dev/null && [[ $file != *.go ]] || echo "$directory"
done <<<"$files" | sort -u)
module=$(go list -m)
go list -test -f '{{.ImportPath}} {{.ForTest}} {{join .Deps " "}}' ./... | awk -v module="$module" -v changed="$changed" '
	BEGIN { n = split(changed, dirs, "\n"); for (i = 1; i <= n; i++) touched[dirs[i] == "." ? module : module "/" dirs[i]] = 1 }
	{
		name = $1
		sub(/\.test$/, "", name); sub(/_test$/, "", name)
		hit = name in touched
		for (i = 2; i <= NF && !hit; i++) hit = $i in touched
		if (hit) print name
	}' | sed 's/_test$//' | sort -u
