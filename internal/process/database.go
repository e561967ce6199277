// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// databaseVariable and redisVariable are environment variables for URLs with passwords, which must not be on a command line. The
// variable with the suffix [fileSuffix] names a file that contains the URL: other processes
// of a user, and crash reports, can read an environment more easily than a file.
const (
	databaseVariable = "PRINTMARKET_DATABASE_URL"
	redisVariable    = "PRINTMARKET_REDIS_URL"
	redisCAVariable  = "PRINTMARKET_REDIS_CA"
	fileSuffix       = "_FILE"
)

// Variables that allow the URLs of the variables above not to verify a server on another
// machine.
const (
	insecureDatabaseVariable = "PRINTMARKET_INSECURE_DATABASE"
	insecureRedisVariable    = "PRINTMARKET_INSECURE_REDIS"
)

// insecure returns the value of a flag, or that of its variable.
func insecure(flag bool, variable string) (bool, error) {
	text := os.Getenv(variable)
	if flag || text == "" {
		return flag, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("the variable %s must be true or false", variable)
	}
	return value, nil
}

// prepared is the number of connections that a process opens before it serves, up to its
// limit. Otherwise the first requests would wait for connections, and on a busy machine
// time out.
const prepared = 8

// Database holds the flags of every process that opens PostgreSQL.
type Database struct {
	database    string
	insecure    bool
	connections int32
	wait        time.Duration
}

// AddFlags adds all flags; connections is the default of --database-connections.
func (o *Database) AddFlags(f *pflag.FlagSet, connections int32) {
	o.AddAddressFlags(f)
	f.Int32Var(&o.connections, "database-connections", connections, "maximum number of database connections")
	f.DurationVar(&o.wait, "database-wait", 500*time.Millisecond, "time that a call waits for a free connection; after it, a request gets 503")
}

// AddAddressFlags adds the flags of the address.
func (o *Database) AddAddressFlags(f *pflag.FlagSet) {
	f.StringVar(&o.database, "database", "", "postgres:// URL of the database (default: the variable "+databaseVariable+", or the file that "+databaseVariable+fileSuffix+" names)")
	f.BoolVar(&o.insecure, "insecure-database", false, "accept a database URL without sslmode=verify-full for another machine (default: the variable "+insecureDatabaseVariable+")")
}

// errNoDatabase means that neither the flag nor the variable of the database is set.
var errNoDatabase = fmt.Errorf("--database or the variable %s is required", databaseVariable)

// address returns the URL, and whether the server on another machine may stay unverified.
func (o *Database) address() (url string, plain bool, err error) {
	if url, err = secretURL(o.database, databaseVariable); err != nil {
		return "", false, err
	}
	if url == "" {
		return "", false, errNoDatabase
	}
	plain, err = insecure(o.insecure, insecureDatabaseVariable)
	return url, plain, err
}

// maxURL limits the size of a file with a URL.
const maxURL = 16 << 10

// secretURL returns the value of a flag, the content of the file that the variable with
// [fileSuffix] names, or the value of the variable; an empty text if none is set.
func secretURL(value, variable string) (string, error) {
	path := os.Getenv(variable + fileSuffix)
	if value != "" || path == "" {
		return cmp.Or(value, os.Getenv(variable)), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", variable, fileSuffix, err)
	}
	defer func() { _ = file.Close() }() // read only
	content, err := io.ReadAll(io.LimitReader(file, maxURL+1))
	switch url := strings.TrimSpace(string(content)); {
	case err != nil:
		return "", fmt.Errorf("%s%s: %w", variable, fileSuffix, err)
	case len(content) > maxURL:
		return "", fmt.Errorf("%s%s: %s has more than %d bytes, the limit for the URL", variable, fileSuffix, path, maxURL)
	case url == "":
		return "", fmt.Errorf("%s%s: %s must contain one URL", variable, fileSuffix, path)
	default:
		return url, nil
	}
}

// rereads returns a function that reads the file of [secretURL] again, for the credentials
// of new connections. While the file is unreadable, the function returns the URL that it
// read last. rereads returns nil if the URL does not come from a file.
func rereads(value, variable, url string, log *slog.Logger) func() string {
	if value != "" || os.Getenv(variable+fileSuffix) == "" || log == nil {
		return nil
	}
	var last atomic.Pointer[string]
	last.Store(&url)
	return func() string {
		current, err := secretURL("", variable)
		if err != nil {
			log.Warn("cannot read the URL for a new connection; the previous credentials stay in use", "error", err)
			return *last.Load()
		}
		last.Store(&current)
		return current
	}
}

// Open opens the database. With a log, it follows changes of the credentials.
func (o *Database) Open(ctx context.Context, log *slog.Logger) (*postgres.Store, error) {
	url, plain, err := o.address()
	if err != nil {
		return nil, err
	}
	store, err := postgres.Open(ctx, url, postgres.Options{MaxConns: o.connections, Prepared: prepared, AcquireTimeout: o.wait, Insecure: plain, Current: rereads(o.database, databaseVariable, url, log)})
	if errors.Is(err, postgres.ErrInsecure) {
		return nil, fmt.Errorf("%w, or allow it with --insecure-database", err)
	}
	if err != nil {
		// The driver's errors may quote the URL, and with it the password.
		return nil, errors.New(telemetry.Redact(err.Error()))
	}
	return store, nil
}

// serve opens the database for a process that serves. The schema must be up to date.
func (o *Database) serve(ctx context.Context, p *process) (*postgres.Store, error) {
	store, err := o.Open(ctx, p.log)
	if err != nil {
		return nil, err
	}
	p.keepStore(store)
	return store, store.CheckSchema(ctx)
}

// Redis holds the flags of every process that uses Redis.
type Redis struct {
	redis, ca     string
	insecureRedis bool
}

// AddFlags adds the flags.
func (o *Redis) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.redis, "redis", "", "rediss:// URL (default: the variable "+redisVariable+", or the file that "+redisVariable+fileSuffix+" names)")
	f.StringVar(&o.ca, "redis-ca", "", "file with the certificates that verify the server of a rediss:// URL, PEM, read again for each connection (default: the variable "+redisCAVariable+fileSuffix+", or the certificates of the system)")
	f.BoolVar(&o.insecureRedis, "insecure-redis", false, "accept a redis:// URL for another machine (default: the variable "+insecureRedisVariable+")")
}

// ErrNoRedis means that neither the flag nor the variable of Redis is set.
var ErrNoRedis = fmt.Errorf("--redis or the variable %s is required", redisVariable)

// address returns the address of Redis. The server must be verified, unless the user allows
// otherwise. With a log, the address follows changes of the files of the URL and the
// certificates.
func (o *Redis) address(log *slog.Logger) (address queue.Address, err error) {
	if address.URL, err = secretURL(o.redis, redisVariable); err != nil {
		return queue.Address{}, err
	}
	if address.URL == "" {
		return queue.Address{}, ErrNoRedis
	}
	plain, err := insecure(o.insecureRedis, insecureRedisVariable)
	if err != nil {
		return queue.Address{}, err
	}
	switch err := queue.Verify(address.URL); {
	case errors.Is(err, queue.ErrInsecure) && !plain:
		return queue.Address{}, fmt.Errorf("--redis is %w, or allow it with --insecure-redis", err)
	case err != nil && !errors.Is(err, queue.ErrInsecure):
		return queue.Address{}, fmt.Errorf("--redis is %w", err)
	}
	address.Current = rereads(o.redis, redisVariable, address.URL, log)
	if path := cmp.Or(o.ca, os.Getenv(redisCAVariable+fileSuffix)); path != "" {
		address.Authorities, err = authorities(path, cmp.Or(log, telemetry.Discard()))
	}
	return address, err
}

// Open opens the queue of preflight jobs for a command. It has no log, because commands report errors themselves. The caller
// closes the client.
func (o *Redis) Open() (*redis.Client, *queue.Queue, error) {
	address, err := o.address(nil)
	if err != nil {
		return nil, nil, err
	}
	client, err := queue.Connect(address, telemetry.Discard())
	if err != nil {
		return nil, nil, fmt.Errorf("--redis is %w", err)
	}
	q, err := queue.New(client, QueueName, queue.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, q, nil
}

// authorities returns a function that reads the certificates of a file. While the file is
// invalid, the function returns those that it read last.
func authorities(path string, log *slog.Logger) (func() *x509.CertPool, error) {
	read := func() (*x509.CertPool, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s contains no certificate in PEM", path)
		}
		return pool, nil
	}
	first, err := read()
	if err != nil {
		return nil, fmt.Errorf("--redis-ca: %w", err)
	}
	var last atomic.Pointer[x509.CertPool]
	last.Store(first)
	return func() *x509.CertPool {
		current, err := read()
		if err != nil {
			log.Warn("cannot read the certificates of --redis-ca for a new connection; the previous ones stay in use", "error", err)
			return last.Load()
		}
		last.Store(current)
		return current
	}, nil
}
