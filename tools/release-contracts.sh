#!/bin/sh
# Copies each contract at its release. Later versions are compared with the copy
# (docs/guides/contracts.md).
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$here/docs/released"
for contract in "$here"/docs/api/*openapi.yaml; do
	version=$(sed -n 's/^  version: //p' "$contract" | head -n 1)
	released=$here/docs/released/$(basename "$contract" .yaml)@$version.yaml
	if [ ! -e "$released" ]; then
		cp "$contract" "$released"
		echo "released $(basename "$released")"
	elif ! cmp -s "$contract" "$released"; then
		echo "$(basename "$contract") differs from $(basename "$released"), which is released: raise its info.version" >&2
		exit 1
	fi
done
