#!/bin/sh
# Builds etcd, kube-apiserver and kubectl from Go modules into a cache, once for
# each set of versions, and prints the directory that holds them. A test control
# plane needs no download but those modules (docs/adr/0013).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/assets.sh"
kubernetes=$(required k8s.io/kubernetes "$here/kubernetes/go.mod")
etcd=$(required go.etcd.io/etcd/server/v3 "$here/etcd/go.mod")
flags=$(kubernetes_flags "$kubernetes")
stamp=$(cat "$here"/*.sh "$here"/*/go.mod "$here"/*/go.sum | cksum)

programs() {
	build "$here/etcd" go.etcd.io/etcd/server/v3 etcd
	build "$here/kubernetes" k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
	build "$here/kubernetes" k8s.io/kubernetes/cmd/kubectl kubectl
}
assemble controlplane "kubernetes-$kubernetes-etcd-$etcd-$(platform)" "$stamp" five
