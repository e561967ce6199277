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
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/tenant"
)

// items decodes a response that lists records.
func items[T any](response *http.Response, err error) ([]T, error) {
	page, err := platformapi.Answer[struct{ Items []T }](response, err)
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// organization holds the value of a required --organization.
type organization string

func (o *organization) register(f *pflag.FlagSet, records string) {
	f.StringVar((*string)(o), "organization", "", "organization of the "+records+": spec.organizationID of the PartnerEntitlement")
}

// check returns an error with the given text if the flag is missing.
func (o *organization) check(missing string) error {
	if *o == "" {
		return errors.New(missing)
	}
	return nil
}

// maxListed limits what one command lists.
const maxListed = 10_000

func checkLimit(limit, most int) error {
	if limit < 1 || limit > most {
		return fmt.Errorf("--limit must be 1 to %d, not %d", most, limit)
	}
	return nil
}

// pages reads as many pages as the limit needs. next reads at most size records of the page after a
// record or of a cursor; nil is the first page. id returns the id of a record, by which the next page
// follows; it is nil if a page names the cursor of the next one.
func pages[T any](limit int, id func(*T) *string, next func(size *int, after *string) (*http.Response, error)) ([]T, error) {
	found := []T{}
	var after *string
	for {
		size := min(limit-len(found), rfq.MaxLimit)
		page, err := platformapi.Answer[struct {
			Items      []T
			NextCursor *string
		}](next(&size, after)) //nolint:bodyclose // Answer closes the body
		if err != nil {
			return nil, err
		}
		found = append(found, page.Items...)
		if after = page.NextCursor; id != nil && len(page.Items) == size {
			after = id(&found[len(found)-1])
		}
		if after == nil || len(found) >= limit {
			return found, nil
		}
	}
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
		return pages(limit, id, func(size *int, after *string) (*http.Response, error) { return next(ctx, r, size, after) })
	})
}

// checkTime rejects an invalid time as value of a flag. An empty value is valid.
func checkTime(flag, text, example string) error {
	if _, err := time.Parse(time.RFC3339, text); err != nil && text != "" {
		return fmt.Errorf("--%s must be a time such as %s, not %q", flag, example, text)
	}
	return nil
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
	text, from := os.Getenv(variable), variable
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return credential.Key{}, "", fmt.Errorf("read the key: %w", err)
		}
		text, from = string(content), file
	}
	if text == "" {
		return credential.Key{}, "", fmt.Errorf("no key is given: set --key-file or %s", variable)
	}
	if key, err = credential.Parse(strings.TrimSpace(text)); err != nil {
		return credential.Key{}, "", fmt.Errorf("%s: %w", from, err)
	}
	return key, from, nil
}
