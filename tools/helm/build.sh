#!/bin/sh
# Builds helm from its Go module into a cache, once for each version, and prints
# the directory that holds it. Tests of the charts run it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's|^\(require\)\{0,1\}[[:space:]]*helm.sh/helm/v4 \(v[^ ]*\).*|\2|p' "$here/go.mod" | head -n 1)
platform=$(go env GOVERSION GOARCH | tr '\n' ' ')
go=${platform%% *}
arch=${platform#* }
arch=${arch% }

root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/helm
name=helm-$version-$go-$arch
# The stamp detects a build with other checksums or flags under the same name.
stamp=$(cat "$here/build.sh" "$here/go.mod" "$here/go.sum" | cksum)
fresh() { [ "$(cat "$root/$name/stamp" 2>/dev/null)" = "$stamp" ]; }

if fresh; then
	echo "$root/$name"
	exit 0
fi

mkdir -p "$root"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$root/$name.lock"
	flock 9
fi
if fresh; then
	echo "$root/$name"
	exit 0
fi

work=$(mktemp -d "$root/.building-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

echo "helm: $name is not built yet; on two cores this takes about two minutes" >&2
mkdir "$work/bin"
(cd "$here" && GOWORK=off CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" \
	go build -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$version" -o "$work/bin/helm" helm.sh/helm/v4/cmd/helm 9>&-) >&2
echo "$stamp" >"$work/bin/stamp"

# Where flock is missing, a second build may have come first; its result is as good.
if [ -e "$root/$name" ]; then
	mv "$root/$name" "$work/old"
fi
mv "$work/bin" "$root/$name"
echo "$root/$name"
