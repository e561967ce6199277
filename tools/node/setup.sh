#!/bin/sh
# Installs from Debian what runs containers on a node of a test cluster, or watches
# them, and is missing. Tests without a cluster need none of it.
set -eu

need=""
want() { # want COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || need="$need $2"
}
PATH=$PATH:/usr/sbin:/sbin
want containerd containerd
want runc runc
want nft nftables
want ip iproute2
want iptables iptables
want ipset ipset
want prometheus prometheus
[ -e /usr/lib/cni/ptp ] || [ -e /opt/cni/bin/ptp ] || need="$need containernetworking-plugins"
[ -n "$need" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: please install the equivalents of:$need" >&2
	exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
echo "setup: installing$need"
$as_root apt-get update -qq
# RUNLEVEL=1 keeps the packages from starting services of their own.
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $need
