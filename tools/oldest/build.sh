#!/bin/sh
# Builds the oldest kube-apiserver that docs/guides/compatibility.md promises into a
# cache, once for each set of versions, puts etcd and kubectl of tools/controlplane
# beside it, and prints the directory that holds them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
control=$here/../controlplane
newest=$("$control/build.sh")
. "$control/assets.sh"
kubernetes=$(required k8s.io/kubernetes "$here/kubernetes/go.mod")
flags=$(kubernetes_flags "$kubernetes")
stamp=$(cat "$here/build.sh" "$control/assets.sh" "$here"/kubernetes/go.* "$newest/stamp" | cksum)

programs() {
	build "$here/kubernetes" k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
	cp "$newest/etcd" "$newest/kubectl" "$work/bin/"
}
assemble oldest "kubernetes-$kubernetes-$(platform)" "$stamp" four
