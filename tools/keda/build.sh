#!/bin/sh
# Builds KEDA from its Go module into a cache, once for each version, and prints
# the directory that holds its two programs and its manifests (docs/adr/0033).
# Scalers of clouds and brokers that nothing here asks are left out, because with
# them the build takes half an hour; all else is KEDA's, with the checksums of its
# own go.sum.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../controlplane/assets.sh"
version=$(required github.com/kedacore/keda/v2 "$here/go.mod")
flags="-s -w -X github.com/kedacore/keda/v2/version.Version=$version"
stamp=$(cat "$here/build.sh" "$here"/go.* "$here/../controlplane/assets.sh" | cksum)

programs() {
	source=$(cd "$here" && GOWORK=off go mod download -json github.com/kedacore/keda/v2 | sed -n 's|^[[:space:]]*"Dir": "\(.*\)",$|\1|p')
	cp -R "$source" "$work/keda"
	chmod -R u+w "$work/keda"
	leave_out "$work/keda/pkg"
	build "$work/keda" ./cmd/operator keda
	build "$work/keda" ./cmd/adapter keda-adapter
	cp -R "$work/keda/config" "$work/bin/config"
}

leave_out() { # leave_out PACKAGES: all scalers but that of Prometheus
	# scaler.go declares the interfaces, azure_queue_scaler.go a constant that all
	# others use, and external_scaler.go the protocol of scalers elsewhere.
	find "$1/scalers" -maxdepth 1 -name '*.go' ! -name scaler.go ! -name prometheus_scaler.go \
		! -name external_scaler.go ! -name azure_queue_scaler.go -delete
	awk '
		/TRIGGERS-START/ { choosing = 1 }
		choosing && /^\tcase / { dropped = !/"prometheus"/ }
		choosing && /^\tdefault:/ { choosing = dropped = 0 }
		!dropped { print }
	' "$1/scaling/scalers_builder.go" >"$1/builder.go"
	mv "$1/builder.go" "$1/scaling/scalers_builder.go"
}
assemble keda "keda-$version-$(platform)" "$stamp" five
