#!/bin/sh
# Builds etcd, kube-apiserver and kubectl from Go modules into a cache, once for
# each set of versions, and prints the directory that holds them. A test control
# plane needs no download but those modules (docs/adr/0013).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
required() { # required MODULE FILE: the version that FILE requires of MODULE
	sed -n "s|^\(require\)\{0,1\}[[:space:]]*$1 \(v[^ ]*\).*|\2|p" "$2" | head -n 1
}
kubernetes=$(required k8s.io/kubernetes "$here/kubernetes/go.mod")
etcd=$(required go.etcd.io/etcd/server/v3 "$here/etcd/go.mod")
platform=$(go env GOVERSION GOARCH | tr '\n' ' ')
go=${platform%% *}
arch=${platform#* }
arch=${arch% }

root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/controlplane
name=kubernetes-$kubernetes-etcd-$etcd-$go-$arch
# The stamp tells a build of other checksums or other flags under the same name.
stamp=$(cat "$here/build.sh" "$here"/*/go.mod "$here"/*/go.sum | cksum)
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

# kubectl compares its version with the server's, and both say v0.0.0 unless told.
flags="-s -w"
release=${kubernetes#v}
minor=${release#*.}
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $package.gitVersion=$kubernetes -X $package.gitTreeState=clean"
	flags="$flags -X $package.gitMajor=${release%%.*} -X $package.gitMinor=${minor%%.*}"
done
build() { # build MODULE PACKAGE NAME
	echo "controlplane: building $3" >&2
	(cd "$here/$1" && GOWORK=off CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" \
		go build -ldflags "$flags" -o "$work/bin/$3" "$2" 9>&-) >&2
}
echo "controlplane: $name is not built yet; on two cores this takes about five minutes" >&2
mkdir "$work/bin"
build etcd go.etcd.io/etcd/server/v3 etcd
build kubernetes k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
build kubernetes k8s.io/kubernetes/cmd/kubectl kubectl
echo "$stamp" >"$work/bin/stamp"

# Where flock is missing, a second build may have come first; its result is as good.
if [ -e "$root/$name" ]; then
	mv "$root/$name" "$work/old"
fi
mv "$work/bin" "$root/$name"
echo "$root/$name"
