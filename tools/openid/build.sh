#!/bin/sh
# Builds an OpenID provider from the example of zitadel/oidc into a cache, once for each
# version, and prints the directory that holds it. Tests of the sign-in run it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../controlplane/assets.sh"
version=$(required github.com/zitadel/oidc/v3 "$here/go.mod")
flags="-s -w"
stamp=$(cat "$here/build.sh" "$here"/go.* "$here/main.go" "$here/../controlplane/assets.sh" | cksum)

programs() {
	build "$here" . openid
}
assemble openid "zitadel-$version-$(platform)" "$stamp" one
