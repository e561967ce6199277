// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// epochVariable is the conventional variable with the time of a reproducible build:
// https://reproducible-builds.org/specs/source-date-epoch/.
const epochVariable = "SOURCE_DATE_EPOCH"

// release holds the metadata of an image. Apart from the source, the digest of the image depends
// only on these fields.
type release struct {
	version, revision string
	// time is the time of the commit, not of the build.
	time time.Time
}

var errNoCommit = errors.New("not a git checkout: --version, --revision and " + epochVariable + " must be given")

// complete sets missing values from the checked-out commit.
func (r release) complete(ctx context.Context, source string) (release, error) {
	for _, one := range []struct {
		value *string
		args  []string
	}{
		{&r.version, []string{"describe", "--tags", "--always", "--dirty"}},
		{&r.revision, []string{"rev-parse", "HEAD"}},
	} {
		if *one.value != "" {
			continue
		}
		text, err := git(ctx, source, one.args...)
		if err != nil {
			return release{}, err
		}
		*one.value = text
	}
	epoch := os.Getenv(epochVariable)
	if epoch == "" {
		text, err := git(ctx, source, "log", "-1", "--format=%ct")
		if err != nil {
			return release{}, err
		}
		epoch = text
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 {
		return release{}, fmt.Errorf("%s %q is no number of seconds", epochVariable, epoch)
	}
	r.time = time.Unix(seconds, 0).UTC()
	return r, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%w: git %s: %w", errNoCommit, args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// parsePlatforms reads a list such as linux/amd64,linux/arm64.
func parsePlatforms(list string) ([]v1.Platform, error) {
	var platforms []v1.Platform
	seen := map[string]bool{}
	for _, text := range strings.Split(list, ",") {
		if _, known := architectures[text]; !known || seen[text] {
			return nil, fmt.Errorf("platform %q is unknown, or occurs twice; known are linux/amd64 and linux/arm64", text)
		}
		seen[text] = true
		system, architecture, _ := strings.Cut(text, "/")
		platforms = append(platforms, v1.Platform{OS: system, Architecture: architecture})
	}
	return platforms, nil
}

// architectures maps each architecture to the environment variable that selects its oldest
// supported CPU.
var architectures = map[string]string{
	"linux/amd64": "GOAMD64=v1",
	"linux/arm64": "GOARM64=v8.0",
}
