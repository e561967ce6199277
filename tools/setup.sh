#!/bin/sh
# Installs the Debian packages that the tests need and that are missing: a C
# compiler for the race detector, redis-server for the queue's tests, postgresql
# for the store's, poppler's tools, which the preflight engine's facts are
# compared with, openssl for a command of a guide, npm for the viewer of the
# contracts, and a browser for its test.
set -eu

need=""
want() { # want COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || need="$need $2"
}
want gcc gcc
want redis-server redis-server
want pdffonts poppler-utils
want openssl openssl
want npm npm
want chromium chromium
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need="$need postgresql"
[ -e /usr/include/stdlib.h ] || need="$need libc6-dev"

if ! command -v go >/dev/null 2>&1; then
	echo "setup: Go 1.26 or newer is needed: https://go.dev/doc/install" >&2
	exit 1
fi
[ -n "$need" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: please install the equivalents of:$need" >&2
	exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
	as_root="sudo"
fi
echo "setup: installing$need"
$as_root apt-get update -qq
# RUNLEVEL=1 keeps the packages from starting services of their own.
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $need
