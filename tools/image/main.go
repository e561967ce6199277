// SPDX-License-Identifier: Apache-2.0

// Command image builds the container image of the platform without a container
// engine: it compiles the two executables, packs them with the root certificates
// and the licences of what they are linked from, describes them in an SBOM, and
// writes an OCI layout and an archive, or pushes to a registry. The same commit
// and the same Go release give the same digest, wherever it runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// request holds the options of the command line.
type request struct {
	source, out, push, rootfs, platforms string
	release                              release
}

func parse(args []string, stderr io.Writer) (request, error) {
	var r request
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&r.source, "source", filepath.Join("..", ".."), "directory of the platform's module")
	flags.StringVar(&r.out, "out", "", "directory of the OCI layout; archives are written beside it (default: SOURCE/bin/image)")
	flags.StringVar(&r.platforms, "platform", "linux/"+runtime.GOARCH, "linux/amd64, linux/arm64, or both with a comma")
	flags.StringVar(&r.release.version, "version", "", "version of the release (default: git describe)")
	flags.StringVar(&r.release.revision, "revision", "", "commit of the release (default: the one that is checked out)")
	flags.StringVar(&r.push, "push", "", "reference to push to, with its registry")
	flags.StringVar(&r.rootfs, "rootfs", "", "write the image's files to this directory and nothing else, for builds by an engine")
	if err := flags.Parse(args); err != nil {
		return request{}, err
	}
	if flags.NArg() > 0 {
		return request{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	source, err := filepath.Abs(r.source)
	if err != nil {
		return request{}, err
	}
	r.source = source
	if r.out == "" {
		r.out = filepath.Join(source, "bin", "image")
	}
	return r, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	r, err := parse(args, stderr)
	if err != nil {
		return err
	}
	platforms, err := parsePlatforms(r.platforms)
	if err != nil {
		return err
	}
	if r.release, err = r.release.complete(ctx, r.source); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "printmarket-image-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	builder := builder{source: r.source, work: work, release: r.release}
	if r.rootfs != "" {
		return builder.writeFiles(ctx, platforms, r.rootfs)
	}
	var built []built
	for _, p := range platforms {
		one, err := builder.build(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		built = append(built, one)
	}
	result, err := gather(built)
	if err != nil {
		return err
	}
	return result.deliver(ctx, r, stdout)
}

// deliver writes, pushes, and prints where everything is.
func (a assembly) deliver(ctx context.Context, r request, stdout io.Writer) error {
	written, err := a.write(r.out, r.release.version)
	if err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	for _, name := range written {
		if _, err := fmt.Fprintln(stdout, name); err != nil {
			return err
		}
	}
	if r.push != "" {
		if err := a.push(ctx, r.push); err != nil {
			return fmt.Errorf("push the image: %w", err)
		}
	}
	_, err = fmt.Fprintln(stdout, a.digest)
	return err
}
