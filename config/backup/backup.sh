#!/bin/sh
# Dumps the database of a URL in a file into a directory, keeps the newest dumps, and runs a
# command with the path of the dump, for example to upload it. A dump has its final name only
# when it is complete.
set -eu
umask 077
directory="${BACKUP_DIRECTORY:-/backups}"
name="printmarket-$(date -u +%Y%m%dT%H%M%SZ).dump"
# Only processes of this container can see the arguments of pg_dump.
url="$(cat "${BACKUP_URL_FILE:-/database/url}")"
find "$directory" -name 'printmarket-*.partial' -type f -exec rm -f {} +
pg_dump --dbname="$url" --format=custom --no-owner --no-privileges --file="$directory/$name.partial"
pg_restore --list "$directory/$name.partial" >/dev/null
mv "$directory/$name.partial" "$directory/$name"
echo "dumped $(wc -c <"$directory/$name") bytes to $directory/$name"
[ $# -eq 0 ] || "$@" "$directory/$name"
find "$directory" -name 'printmarket-*.dump' -type f | sort -r | tail -n +"$((${BACKUP_KEEP:-7} + 1))" | while read -r old; do
	rm -f "$old"
	echo "removed $old"
done
