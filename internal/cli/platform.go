// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/tenant"
)

// organization holds the value of --organization. An empty value, such as that of a variable that is
// not set, is no organization.
type organization string

// register adds the flag, whose use is "required" or "all by default".
func (o *organization) register(f *pflag.FlagSet, records, use string) {
	f.Var(o, "organization", "organization of the "+records+": spec.organizationID of the PartnerEntitlement ("+use+")")
}

func (o *organization) String() string { return string(*o) }

// Set implements [pflag.Value].
func (o *organization) Set(id string) error {
	if *o = organization(id); id == "" {
		return errors.New("must be the ID of an organization, such as org_acme01")
	}
	return nil
}

// Type implements [pflag.Value].
func (*organization) Type() string { return "string" }

// maxListed limits what one command lists.
const maxListed = 10_000

func checkLimit(limit, most int) error {
	if limit < 1 || limit > most {
		return fmt.Errorf("--limit must be 1 to %d, not %d", most, limit)
	}
	return nil
}

// listCommand returns the command of a row that lists records of the platform API, up to --limit.
func listCommand[T any](noun string, c command[[]T], records table[T], id func(*T) *string,
	next func(ctx context.Context, r request, size *int, after *string) (*http.Response, error),
) *cobra.Command {
	var limit int
	flags, check := c.flags, c.check
	c.print = records.list
	c.flags = func(f *pflag.FlagSet) {
		f.IntVar(&limit, "limit", rfq.DefaultLimit, fmt.Sprintf("maximum number of %s, up to %d", noun, maxListed))
		if flags != nil {
			flags(f)
		}
	}
	c.check = func() error {
		if err := checkLimit(limit, maxListed); err != nil || check == nil {
			return err
		}
		return check()
	}
	return c.onPlatform(func(ctx context.Context, r request) ([]T, error) {
		return platformapi.Pages(limit, id, func(size *int, after *string) (*http.Response, error) { return next(ctx, r, size, after) })
	})
}

const apiURLUsage = "origin of the API (default: $PRINTMARKET_API_URL)"

// platformAccess names the platform API and the key. A key is never an argument,
// which every process of the machine could read.
type platformAccess struct {
	apiURL, keyFile string
	sandbox         bool
}

func (o *platformAccess) register(f *pflag.FlagSet) {
	f.StringVar(&o.apiURL, "api-url", "", apiURLUsage)
	f.StringVar(&o.keyFile, "key-file", "",
		"file with a key of the package Platform (default: $PRINTMARKET_PLATFORM_LIVE_KEY, or $PRINTMARKET_PLATFORM_TEST_KEY with --sandbox)")
	f.BoolVar(&o.sandbox, "sandbox", false, "use the records of the sandbox, with the test key")
}

// open returns a client of the platform API.
func (o *platformAccess) open() (*platformapi.Client, error) {
	origin, err := originOf(o.apiURL)
	if err != nil {
		return nil, err
	}
	variable, mode := "PRINTMARKET_PLATFORM_LIVE_KEY", tenant.Live
	if o.sandbox {
		variable, mode = "PRINTMARKET_PLATFORM_TEST_KEY", tenant.Test
	}
	key, from, err := readKey(o.keyFile, variable)
	if err != nil {
		return nil, err
	}
	if key.Mode() != mode {
		// --sandbox must never change production records.
		return nil, fmt.Errorf("%s contains a %s key: use a test key with --sandbox, and a live key without it", from, key.Mode())
	}
	return platformapi.Connect(origin, key)
}

// originOf returns the value of --api-url, or of its variable. A key crosses no network in plain text.
func originOf(text string) (string, error) {
	if text == "" {
		text = os.Getenv("PRINTMARKET_API_URL")
	}
	if text == "" {
		return "", errors.New("no API address is given: set --api-url or PRINTMARKET_API_URL")
	}
	return text, checkURL(text, fmt.Errorf("the origin of the API must be like https://api.example.com, not %q", text), "a key")
}

// checkURL returns the error invalid for a text that is no URL of a server, and another error
// for a URL that is neither https nor of this machine. content is what the URL receives.
func checkURL(text string, invalid error, content string) error {
	target, err := url.Parse(text)
	switch {
	case err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http":
		return invalid
	case target.Scheme == "http" && !safehttp.IsLoopback(target.Hostname()):
		return fmt.Errorf("%s: %s is sent only over https or to this machine", text, content)
	default:
		return nil
	}
}

// readKey reads a key from a file, or else from a variable. from names the place.
func readKey(file, variable string) (key credential.Key, from string, err error) {
	text, from, err := readCredential("key", file, variable)
	if err != nil {
		return credential.Key{}, "", err
	}
	if key, err = credential.Parse(strings.TrimSpace(text.Reveal())); err != nil {
		return credential.Key{}, "", fmt.Errorf("%s: %w", from, err)
	}
	return key, from, nil
}
