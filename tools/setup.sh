#!/bin/sh
# Installs the Debian packages that the tests need and that are missing: a C
# compiler for the race detector, redis-server for the queue's tests and
# valkey-server beside it where the release has one, postgresql for the store's,
# poppler, qpdf, mupdf and Ghostscript, which the results of the preflight engine are compared
# with, an encoder of JPEG 2000 and a decoder of JBIG2, openssl and haproxy for a guide, Prometheus and Alertmanager for the alerts, lua5.1 for the
# health check of Argo CD, xmllint for the XML Schema of XJDF, npm for the viewer of the contracts and the tools of tools/npm, python3 for
# the Python client, and a browser for the tests of pages.
set -eu

need=""
want() { # want COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || need="$need $2"
}
want gcc gcc
want redis-server redis-server
want pdffonts poppler-utils
want qpdf qpdf
want mutool mupdf-tools
want gs ghostscript
want opj_compress libopenjp2-tools
want jbig2dec jbig2dec
want openssl openssl
want haproxy haproxy
want npm npm
want python3 python3
want lua5.1 lua5.1
want xmllint libxml2-utils
command -v chromium-headless-shell >/dev/null 2>&1 || want chromium chromium
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need="$need postgresql"
[ -e /usr/include/stdlib.h ] || need="$need libc6-dev"
valkey="" # optional: its tests are skipped without it
command -v valkey-server >/dev/null 2>&1 || valkey="valkey-server"
prometheus="" # optional: the tests of the alerts need promtool and Alertmanager
command -v promtool >/dev/null 2>&1 || prometheus="prometheus"
command -v prometheus-alertmanager >/dev/null 2>&1 || prometheus="$prometheus prometheus-alertmanager"

if ! command -v go >/dev/null 2>&1; then
	echo "setup: Go 1.26 or newer is needed: https://go.dev/doc/install" >&2
	exit 1
fi
[ -n "$need$valkey$prometheus" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	[ -z "$valkey" ] || echo "setup: without valkey-server its tests are skipped" >&2
	[ -z "$prometheus" ] || echo "setup: without promtool and Alertmanager the tests of the alerts are skipped" >&2
	[ -n "$need" ] || exit 0
	echo "setup: please install the equivalents of:$need" >&2
	exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
	as_root="sudo"
	# Do not ask for a password for optional packages.
	[ -n "$need" ] || as_root="sudo -n"
fi

# RUNLEVEL=1 keeps the packages from starting services of their own.
install() { # install [OPTION...] PACKAGE...
	$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$@"
}

# offered PACKAGE [OPTION...] reports whether a known source has a package.
offered() {
	package="$1"
	shift
	apt-cache "$@" policy "$package" | grep -q 'Candidate: [^(]'
}

# backports CODENAME writes the machine's own sources of a release as sources of
# its backports: the same mirrors and keys, in both forms that apt reads.
backports() {
	find /etc/apt/sources.list.d -name '*.sources' -exec cat {} \; -exec echo \; -exec echo \; |
		awk -v RS= -v release="$1" '
			/(^|\n)Enabled: *no/ { next }
			$0 ~ "(^|\n)Suites:[^\n]*[ \t]" release "([ \t\n]|$)" && /(^|\n)Components:[^\n]*[ \t]main([ \t\n]|$)/ {
				gsub(/(^|\n)#[^\n]*/, "")
				sub(/Suites:[^\n]*/, "Suites: " release "-backports")
				sub(/Components:[^\n]*/, "Components: main")
				print $0 "\n"
			}' >"$parts/backports.sources"
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -nE "s/^(deb +(\[[^]]*\] +)?[^ ]+) +$1 +(.* )?main( .*)?\$/\1 $1-backports main/p" >"$parts/backports.list"
}

# install_from_backports PACKAGE leaves the sources of the machine as they are.
install_from_backports() {
	release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
	parts="$(mktemp -d)"
	trap 'rm -rf "$parts"' EXIT
	chmod 755 "$parts" # apt fetches as a user of its own
	cp /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$parts" 2>/dev/null || true
	backports "$release"
	with="-o Dir::Etc::SourceParts=$parts"
	# shellcheck disable=SC2086 # one word each
	$as_root apt-get $with -o APT::Get::List-Cleanup=0 -o Acquire::Retries=0 update -qq || true
	# shellcheck disable=SC2086
	offered "$1" $with && install $with "$1"
}

echo "setup: installing$need${prometheus:+ ${prometheus# }}${valkey:+ $valkey}"
$as_root apt-get update -qq || [ -z "$need" ]
# The headless shell of Chromium needs half the CPU time. Debian has it, Ubuntu has not.
! offered chromium-headless-shell || need=$(echo "$need" | sed -E 's/ chromium( |$)/ chromium-headless-shell\1/')
# shellcheck disable=SC2086 # a list of words
[ -z "$need" ] || install $need
# shellcheck disable=SC2086 # a list of words
[ -z "$prometheus" ] || install $prometheus ||
	echo "setup: $prometheus is unavailable; the tests of the alerts are skipped" >&2
[ -z "$valkey" ] || { offered "$valkey" && install "$valkey"; } || install_from_backports "$valkey" ||
	echo "setup: $valkey is unavailable; its tests are skipped" >&2
