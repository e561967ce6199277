// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrURL reports a URL that cannot be parsed. It quotes no part of the URL, because a
// password may be anywhere in it.
var ErrURL = errors.New("not a URL like redis://USER:PASSWORD@HOST:6379/0; percent-encode special characters of the password")

// ErrInsecure reports a URL that does not verify a server on another machine, so that
// others could read or change what is sent.
var ErrInsecure = errors.New("not rediss://, so the server is not verified: use rediss:// without skip_verify")

// Verify checks that each server of a URL is on this machine or is verified by TLS.
// Errors: [ErrURL], [ErrInsecure].
func Verify(text string) error {
	parsed, err := url.Parse(text)
	if err != nil {
		return ErrURL
	}
	var hosts []string
	var over *tls.Config
	if parsed.Query().Get("master_name") != "" {
		options, err := redis.ParseFailoverURL(text)
		if err != nil {
			return ErrURL
		}
		hosts, over = options.SentinelAddrs, options.TLSConfig
	} else {
		options, err := redis.ParseURL(text)
		if err != nil {
			return ErrURL
		}
		hosts, over = []string{options.Addr}, options.TLSConfig
	}
	if over != nil && !over.InsecureSkipVerify || parsed.Scheme == "unix" || !slices.ContainsFunc(hosts, isRemote) {
		return nil
	}
	return ErrInsecure
}

// isRemote reports whether an address is on another machine.
func isRemote(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	address, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !address.IsLoopback())
}

// Address says where a server of Redis is, and how a client and the server verify each other.
type Address struct {
	// URL is that of the server. If it has a master_name, it is the URL of a sentinel and
	// names the others as addr.
	URL string
	// Current returns the current URL, whose user and password a new connection uses. If
	// it is nil, they do not change.
	Current func() string
	// Authorities returns the certificates that a new connection verifies the server with.
	// If it is nil, they are those of the system.
	Authorities func() *x509.CertPool
}

// dialTimeout limits how long a connection is opened: callers must notice soon that Redis
// is unavailable.
const dialTimeout = time.Second

// Connect returns a client of a server, or of the primary that its sentinels name. The
// client connects when it is first used, and its library logs to log. Errors: [ErrURL].
func Connect(address Address, log *slog.Logger) (*redis.Client, error) {
	redis.SetLogger(clientLog{log})
	const retries = 1
	// An old connection has old credentials.
	const lifetime = time.Hour
	if parsed, err := url.Parse(address.URL); err == nil && parsed.Query().Get("master_name") != "" {
		options, err := redis.ParseFailoverURL(address.URL)
		if err != nil {
			return nil, ErrURL
		}
		options.DialTimeout, options.DialerRetries, options.MaxRetries = dialTimeout, retries, retries
		options.ContextTimeoutEnabled = true
		options.ConnMaxLifetime = cmp.Or(options.ConnMaxLifetime, lifetime)
		options.CredentialsProviderContext = credentials(address.Current, options.Username, options.Password)
		options.Dialer = dialer(options.TLSConfig, address.Authorities)
		return redis.NewFailoverClient(options), nil
	}
	options, err := redis.ParseURL(address.URL)
	if err != nil {
		return nil, ErrURL
	}
	options.DialTimeout, options.DialerRetries, options.MaxRetries = dialTimeout, retries, retries
	options.ContextTimeoutEnabled = true
	options.ConnMaxLifetime = cmp.Or(options.ConnMaxLifetime, lifetime)
	options.CredentialsProviderContext = credentials(address.Current, options.Username, options.Password)
	options.Dialer = dialer(options.TLSConfig, address.Authorities)
	// Only Redis' commercial servers send these notices.
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(options), nil
}

// credentials returns the user and password of the current URL, or the given ones while the
// URL cannot be parsed. It returns nil if the URL does not change.
func credentials(current func() string, user, password string) func(context.Context) (string, string, error) {
	if current == nil {
		return nil
	}
	return func(context.Context) (string, string, error) {
		if parsed, err := url.Parse(current()); err == nil && parsed.User != nil {
			renewed, _ := parsed.User.Password()
			return parsed.User.Username(), renewed, nil
		}
		return user, password, nil
	}
}

// dialer returns a function that verifies the server of a new connection with the current
// authorities. It returns nil, for the dialer of the library, if they do not change.
func dialer(over *tls.Config, authorities func() *x509.CertPool) func(context.Context, string, string) (net.Conn, error) {
	if over == nil || authorities == nil {
		return nil
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		renewed := over.Clone()
		renewed.RootCAs = authorities()
		return redis.NewDialer(&redis.Options{DialTimeout: dialTimeout, TLSConfig: renewed})(ctx, network, addr)
	}
}

// clientLog writes the lines of the client library to a logger.
type clientLog struct{ log *slog.Logger }

// Printf logs a line of the library.
func (l clientLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "redis client", "text", fmt.Sprintf(format, args...))
}

// admitTimeout limits the check of a server before a process starts.
const admitTimeout = 2 * time.Second

// Admit rejects a server that would lose jobs one by one, and logs a warning for a
// server that would lose all at once. A server that is unavailable is examined when it
// returns. Errors: [ErrPolicy], [ErrOld].
func (q *Queue) Admit(ctx context.Context, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, admitTimeout)
	defer cancel()
	server, err := q.Server(ctx)
	switch {
	case errors.Is(err, ErrPolicy), errors.Is(err, ErrOld):
		return err
	case err != nil:
		log.WarnContext(ctx, "Redis is unavailable", "error", err)
	case !server.Durable:
		log.WarnContext(ctx, "the append-only file of Redis is disabled: after a crash, every open job is enqueued again and the progress of running jobs is lost")
	}
	return nil
}
