#!/bin/sh
# Draws docs/images/*.svg from the .dot files beside them, with Graphviz (Debian:
# graphviz). Each picture ends with the SHA-256 of its source, which a test compares.
set -eu

command -v dot >/dev/null 2>&1 || {
	echo "pictures: Graphviz is missing; install the package graphviz" >&2
	exit 1
}
for source in docs/images/*.dot; do
	picture="${source%.dot}.svg"
	dot -Tsvg "$source" >"$picture"
	echo "<!-- source sha256:$(sha256sum "$source" | cut -d' ' -f1) -->" >>"$picture"
done
