#!/bin/sh
# Builds helm from its Go module into a cache, once for each version, and prints
# the directory that holds it. Tests of the charts run it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../controlplane/assets.sh"
version=$(required helm.sh/helm/v4 "$here/go.mod")
flags="-s -w -X helm.sh/helm/v4/internal/version.version=$version"
stamp=$(cat "$here/build.sh" "$here"/go.* "$here/../controlplane/assets.sh" | cksum)

programs() {
	build "$here" helm.sh/helm/v4/cmd/helm helm
}
assemble helm "helm-$version-$(platform)" "$stamp" two
