# What the builds of test programs have in common; to be sourced. Each set of
# programs lies in a directory of the cache that is named after its versions, is
# built once, and appears there as a whole.

required() { # required MODULE FILE: the version that FILE requires of MODULE
	sed -n "s|^\(require\)\{0,1\}[[:space:]]*$1 \(v[^ ]*\).*|\2|p" "$2" | head -n 1
}

platform() { # platform: the version of Go and the processor, as part of a name
	go env GOVERSION GOARCH | tr '\n' ' ' | sed 's/ $//; s/ /-/'
}

# kubernetes_flags VERSION: linker flags. The programs compare their versions,
# and all report v0.0.0 without these flags.
kubernetes_flags() {
	release=${1#v}
	minor=${release#*.}
	printf '%s' "-s -w"
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		printf ' %s' "-X $package.gitVersion=$1 -X $package.gitTreeState=clean"
		printf ' %s' "-X $package.gitMajor=${release%%.*} -X $package.gitMinor=${minor%%.*}"
	done
}

build() { # build DIRECTORY PACKAGE NAME: into the set that is being made
	echo "building $3" >&2
	(cd "$1" && GOWORK=off CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" \
		go build -ldflags "$flags" -o "$work/bin/$3" "$2" 9>&-) >&2
}

# assemble SET NAME STAMP MINUTES: prints the directory of a set, and calls the
# function programs where it is not built yet. The stamp detects a build with
# other checksums or flags under the same name.
assemble() {
	root=${XDG_CACHE_HOME:-$HOME/.cache}/printmarket/$1
	if fresh "$root/$2" "$3"; then
		echo "$root/$2"
		return
	fi
	mkdir -p "$root"
	if command -v flock >/dev/null 2>&1; then
		exec 9>"$root/$2.lock"
		flock 9
	fi
	if fresh "$root/$2" "$3"; then
		echo "$root/$2"
		return
	fi
	work=$(mktemp -d "$root/.building-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM HUP
	echo "$1: $2 is not built yet; on two cores this takes about $4 minutes" >&2
	mkdir "$work/bin"
	programs
	echo "$3" >"$work/bin/stamp"
	# Where flock is missing, a second build may have come first; its result is as good.
	if [ -e "$root/$2" ]; then
		mv "$root/$2" "$work/old"
	fi
	mv "$work/bin" "$root/$2"
	echo "$root/$2"
}

fresh() { # fresh DIRECTORY STAMP
	[ "$(cat "$1/stamp" 2>/dev/null)" = "$2" ]
}
