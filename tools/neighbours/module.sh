# What the builds of programs from their own modules have in common; to be sourced.
. "$here/../../controlplane/assets.sh"

# copy MODULE: puts a writable copy of the module that go.mod requires into
# $work/source, so that the program is built with the versions of its own go.mod.
copy() {
	source=$(cd "$here" && GOWORK=off go mod download -json "$1" | sed -n 's|^[[:space:]]*"Dir": "\(.*\)",$|\1|p')
	cp -R "$source" "$work/source"
	chmod -R u+w "$work/source"
}

# stamp: detects a build from other scripts, versions or checksums.
stamp() {
	find "$here" -type f | sort | xargs cat "$here/../module.sh" "$here/../../controlplane/assets.sh" | cksum
}
