#!/bin/sh
# Builds Authorino into a cache, once for each version, and prints the directory that
# holds it with the definition of its resources.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../module.sh"
version=$(required github.com/kuadrant/authorino "$here/go.mod")
flags="-s -w -X main.version=$version"

programs() {
	copy github.com/kuadrant/authorino
	build "$work/source" . authorino
	cp "$work/source/install/crd/authorino.kuadrant.io_authconfigs.yaml" "$work/bin/crds.yaml"
}
assemble neighbours "authorino-$version-$(platform)" "$(stamp)" ten
