#!/bin/sh
# Builds Jaeger into a cache, once for each version, and prints the directory that
# holds it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../module.sh"
version=$(required github.com/jaegertracing/jaeger "$here/go.mod")
flags="-s -w"

programs() {
	copy github.com/jaegertracing/jaeger
	build "$work/source" ./cmd/jaeger jaeger
}
assemble neighbours "jaeger-$version-$(platform)" "$(stamp)" ten
