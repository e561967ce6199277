#!/bin/sh
# Builds kube-router, an engine for NetworkPolicies, into a cache, once for each
# version, and prints the directory that holds it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../module.sh"
version=$(required github.com/cloudnativelabs/kube-router/v2 "$here/go.mod")
flags="-s -w -X github.com/cloudnativelabs/kube-router/v2/pkg/version.Version=$version"

programs() {
	copy github.com/cloudnativelabs/kube-router/v2
	build "$work/source" ./cmd/kube-router kube-router
}
assemble neighbours "kube-router-$version-$(platform)" "$(stamp)" five
