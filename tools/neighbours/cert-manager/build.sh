#!/bin/sh
# Builds the controllers of cert-manager into a cache, once for each version, and
# prints the directory that holds them and the CRDs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../module.sh"
version=$(required github.com/cert-manager/cert-manager "$here/go.mod")
flags="-s -w"

programs() {
	build "$here" . cert-manager
	cp -R "$(cd "$here" && GOWORK=off go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager)/deploy/crds" "$work/bin/crds"
}
assemble neighbours "cert-manager-$version-$(platform)" "$(stamp)" five
