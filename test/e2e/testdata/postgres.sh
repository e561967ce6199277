#!/bin/sh
# The part of the contract of the image "postgres" that the chart relies on: an empty
# PGDATA gets a superuser and a database by POSTGRES_*, and what is in
# /docker-entrypoint-initdb.d, before the server accepts other connections.
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
	printf '%s\n' "$POSTGRES_PASSWORD" | initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=/dev/stdin \
		--auth-local=trust --auth-host=trust --encoding=UTF8 --locale=C --no-sync
	printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
	pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses=''" --wait start
	psql --username="$POSTGRES_USER" --dbname=postgres --command="CREATE DATABASE \"$POSTGRES_DB\""
	for script in /docker-entrypoint-initdb.d/*.sh; do
		. "$script"
	done
	pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
fi
exec postgres -c listen_addresses='*'
