// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
)

func xjdfCommand() *cobra.Command {
	return group("xjdf", "Validate, convert, compare and explain XJDF documents, without a server", `Validate, convert, compare and explain XJDF 2.2 documents, without a server. FILE is a
document in XML, in the JSON of the standard or in JSON with at signs, or a package (ZIP
or MIME multipart); - is standard input.`,
		xjdfValidateCommand(), xjdfConvertCommand(), xjdfDiffCommand(), xjdfExplainCommand(), xjdfSchemaCommand())
}

// readDocument reads a file or, for "-", standard input, up to a number of bytes.
func readDocument(cmd *cobra.Command, name string, most int64) (body []byte, err error) {
	in := cmd.InOrStdin()
	if name != "-" {
		// A pipe would wait for its writer, and no signal ends the wait.
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", name)
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	body, err = io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return body, err
}

// mostPackage bounds the bytes of a file that is read.
var mostPackage = int64(pack.DefaultLimits.Bytes) // constant

// documentLimits bound the documents of the command. They are wider than those of the
// service, because the machine is the user's own.
var documentLimits = xjdf.Limits{Bytes: 16 << 20, Depth: 64, Nodes: 500_000} // constant

// readTree reads a file that is one document.
func readTree(cmd *cobra.Command, name string) (*xjdf.Document, error) {
	body, err := readDocument(cmd, name, int64(documentLimits.Bytes))
	if err != nil {
		return nil, err
	}
	if pack.Is(body) {
		return nil, fmt.Errorf("%s is a package: give one of its documents", name)
	}
	document, err := xjdf.Parse(body, documentLimits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}

// oneStandardInput rejects a list that names standard input twice.
func oneStandardInput(files []string) error {
	count := 0
	for _, name := range files {
		if name == "-" {
			count++
		}
	}
	if count > 1 {
		return errors.New("standard input (-) can be read only once")
	}
	return nil
}
