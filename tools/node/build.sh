#!/bin/sh
# Builds what a cluster with nodes needs beyond a control plane, from Go modules
# into a cache, once for each set of versions, and prints the directory that
# holds it (docs/adr/0033).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
control=$here/../controlplane
. "$control/assets.sh"
kubernetes=$(required k8s.io/kubernetes "$control/kubernetes/go.mod")
coredns=$(required github.com/coredns/coredns "$here/coredns/go.mod")
flags=$(kubernetes_flags "$kubernetes")
stamp=$(cat "$here/build.sh" "$control/assets.sh" "$control"/kubernetes/go.* "$here"/*/go.* "$here"/*/main.go | cksum)

programs() {
	for program in kube-controller-manager kube-scheduler kubelet kube-proxy; do
		build "$control/kubernetes" "k8s.io/kubernetes/cmd/$program" "$program"
	done
	build "$here/coredns" . coredns
	build "$here/pause" . pause
}
assemble node "kubernetes-$kubernetes-coredns-$coredns-$(platform)" "$stamp" five
