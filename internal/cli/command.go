// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/queue"
)

// command describes a command that makes one call and prints the result. T is the
// result. The methods local, onPlatform and onQueue add the call.
type command[T any] struct {
	use, short, long, example string
	// args is NoArgs by default.
	args  cobra.PositionalArgs
	flags func(*pflag.FlagSet)
	// required names the flags that must be set.
	required []string
	// outputs are the values of --output, the default first; table and json by default.
	outputs []string
	// check rejects flags before anything is opened.
	check func() error
	// print prints the result as a table.
	print func(io.Writer, T)
}

// resultError is the error of a call that has a result to print all the same.
type resultError struct{ error }

// Unwrap returns the error.
func (e resultError) Unwrap() error { return e.error }

// request holds one invocation of a command on the platform API.
type request struct {
	*platformapi.Client
	cmd  *cobra.Command
	args []string
}

// local returns the command with a call that needs nothing else.
func (c command[T]) local(call func(cmd *cobra.Command, args []string) (T, error)) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.check != nil {
				if err := c.check(); err != nil {
					return err
				}
			}
			found, err := call(cmd, args)
			var printed resultError
			if err != nil && !errors.As(err, &printed) {
				return err
			}
			return errors.Join(err, printOutput(cmd, output, found, func(w io.Writer) { c.print(w, found) }))
		},
	}
	if c.args == nil {
		cmd.Args = cobra.NoArgs
	}
	if c.outputs == nil {
		c.outputs = []string{"table", "json"}
	}
	chooseOutput(cmd.Flags(), &output, c.outputs...)
	if c.flags != nil {
		c.flags(cmd.Flags())
	}
	for _, flag := range c.required {
		_ = cmd.MarkFlagRequired(flag) // the flag exists
	}
	return cmd
}

// onPlatform returns the command with a call of the platform API.
func (c command[T]) onPlatform(call func(context.Context, request) (T, error)) *cobra.Command {
	var access platformAccess
	cmd := c.local(func(cmd *cobra.Command, args []string) (found T, err error) {
		client, err := access.open()
		if err != nil {
			return found, err
		}
		return call(cmd.Context(), request{client, cmd, args})
	})
	access.register(cmd.Flags())
	return cmd
}

// onQueue returns the command with a call of the queue of preflight jobs.
func (c command[T]) onQueue(call func(ctx context.Context, q *queue.Queue, args []string) (T, error)) *cobra.Command {
	var o process.Redis
	cmd := c.local(func(cmd *cobra.Command, args []string) (found T, err error) {
		url, err := o.URL()
		if err != nil {
			return found, err
		}
		client, q, err := openQueue(url)
		if err != nil {
			return found, err
		}
		defer func() { _ = client.Close() }()
		return call(cmd.Context(), q, args)
	})
	o.AddFlags(cmd.Flags())
	return cmd
}
