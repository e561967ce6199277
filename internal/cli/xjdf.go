// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/schema"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

func xjdfCommand() *cobra.Command {
	return group("xjdf", "Validate, convert, compare and explain XJDF documents, without a server", `Validate, convert, compare and explain XJDF 2.2 documents, without a server. FILE is a
document in XML, in the JSON of the standard or in JSON with at signs, or a package (ZIP
or MIME multipart); - is standard input.`,
		xjdfValidateCommand(), xjdfConvertCommand(), xjdfDiffCommand(), xjdfExplainCommand(), xjdfSchemaCommand())
}

// readDocument reads a file or, for "-", standard input, up to a number of bytes.
func readDocument(cmd *cobra.Command, name string, most int) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() && name != "-" {
		return nil, fmt.Errorf("%s is a directory", name)
	}
	return readInput(cmd, name, int64(most), "document")
}

// documentLimits bound the documents of the command. They are wider than those of the
// service, because the machine is the user's own.
var documentLimits = xjdf.Limits{Bytes: 16 << 20, Depth: 64, Nodes: 500_000} // constant

// readTree reads a file that is one document.
func readTree(cmd *cobra.Command, name string) (*xjdf.Document, error) {
	body, err := readDocument(cmd, name, documentLimits.Bytes)
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
	if first := slices.Index(files, "-"); first >= 0 && slices.Contains(files[first+1:], "-") {
		return errors.New("standard input (-) can be read only once")
	}
	return nil
}

func xjdfValidateCommand() *cobra.Command {
	var profile, output, path string
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Validate documents (exit code 2: one has an error; 1: one cannot be read)",
		Long: `Validate documents, with the rules of the service. Every document and XJMF message of a
package is validated, and the files to which it refers must be in the package. Exit code
2 means that a document has an error, 1 that a file cannot be read.`,
		Example: `  printmarket xjdf validate flyer.json
  printmarket xjdf validate --profile process press.xjdf folding.xjdf
  printmarket xjdf validate -o sarif -f findings.sarif tickets/*.xjdf
  curl -s "$URL" | printmarket xjdf validate -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := cmp.Or(oneStandardInput(files), notAnInput(path, files)); err != nil {
				return err
			}
			found := pack.Results{Documents: []pack.Result{}}
			for _, name := range files {
				body, err := readDocument(cmd, name, pack.DefaultLimits.Bytes)
				if err == nil {
					err = found.Add(name, body, validate.Profile(profile), documentLimits)
				}
				if err != nil {
					found.Summary.Unread++
					_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err)
				}
			}
			err := writeTo(cmd, path, func(w io.Writer) error {
				switch output {
				case "json":
					return encodeJSON(w, found)
				case "sarif":
					return encodeJSON(w, found.SARIF("printmarket xjdf validate", process.Version))
				default:
					return lines(w, found.Lines())
				}
			})
			switch {
			case err != nil:
				return err
			case found.Summary.Unread > 0:
				return exitUnread
			case found.Summary.Invalid > 0:
				return exitFail
			default:
				return nil
			}
		},
	}
	f := cmd.Flags()
	choose(f, &profile, "profile", "", "profile: "+orList(names(pack.Profiles())), names(pack.Profiles())...)
	choose(f, &output, "output", "o", "form of the report: text, json or sarif", "text", "json", "sarif")
	f.StringVarP(&path, "output-file", "f", "", "write the report to this file instead of standard output")
	return cmd
}

func xjdfConvertCommand() *cobra.Command {
	var to, path string
	cmd := &cobra.Command{
		Use:   "convert FILE",
		Short: "Write a document in another encoding, or PrintTalk as an RFQ",
		Long: `Write a document in another encoding. --to rfq writes the RFQ of a PrintTalk document as
the body of POST /api/v1/rfq. Its BusinessID becomes the clientReference.`,
		Example: `  printmarket xjdf convert flyer.json --to xml
  printmarket xjdf convert ticket.xjdf --to json -f ticket.xjdf.json
  printmarket xjdf convert inquiry.ptk --to rfq`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notAnInput(path, args); err != nil {
				return err
			}
			document, err := readTree(cmd, args[0])
			if err != nil {
				return err
			}
			return writeTo(cmd, path, func(w io.Writer) error {
				switch to {
				case "rfq":
					body, err := partnerapi.RFQOf(document)
					if err != nil {
						return fmt.Errorf("%s: %w", args[0], err)
					}
					return encodeJSON(w, body)
				case "xml":
					return xjdf.WriteXML(w, document.Root)
				case "json-attributes":
					err = xjdf.WriteAttributeJSON(w, document.Root, xjdf.Indent("  "))
				default:
					err = xjdf.WriteJSON(w, document.Root, xjdf.Indent("  "))
				}
				if err == nil {
					_, err = io.WriteString(w, "\n")
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	choose(f, &to, "to", "", "json (of the standard), xml, json-attributes (with at signs) or rfq (for the API)", "json", "xml", "json-attributes", "rfq")
	f.StringVarP(&path, "output-file", "f", "", "write the document to this file instead of standard output")
	return cmd
}

func xjdfDiffCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two documents, whatever their encodings (exit code 2: they differ)",
		Long: `Compare two documents by their content, whatever their encodings. An element of the new
document corresponds to an equal one, to one with the same key (the Name and Usage of a
set, the parts of a resource, the ID), or to the next one of its name. Exit code 2 means
that the documents differ.`,
		Example: `  printmarket xjdf diff order.xjdf revision.json`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneStandardInput(args); err != nil {
				return err
			}
			var roots [2]*xjdf.Node
			for i, name := range args {
				document, err := readTree(cmd, name)
				if err != nil {
					return err
				}
				roots[i] = document.Root
			}
			changes := append([]xjdf.Change{}, xjdf.Diff(roots[0], roots[1])...)
			err := printOutput(cmd, output, changes, func(w io.Writer) {
				for _, c := range changes {
					switch {
					case c.Kind == xjdf.Changed:
						line(w, fmt.Sprintf("changed %s: %q to %q", c.Path, c.From, c.To))
					case c.From+c.To != "":
						line(w, fmt.Sprintf("%s %s: %q", c.Kind, c.Path, c.From+c.To))
					default:
						line(w, fmt.Sprintf("%s %s", c.Kind, c.Path))
					}
				}
			})
			if err == nil && len(changes) > 0 {
				return exitFail
			}
			return err
		},
	}
	choose(cmd.Flags(), &output, "output", "o", "text, json or yaml", "text", "json", "yaml")
	return cmd
}

func xjdfExplainCommand() *cobra.Command {
	cmd := command[schema.Explanation]{
		use: "explain NAME", short: "Explain a rule, an element, an attribute, a process, a list or a profile",
		example: `  printmarket xjdf explain DIMENSION_LOOKS_MM
  printmarket xjdf explain MediaIntent
  printmarket xjdf explain LayoutIntent/@Sides
  printmarket xjdf explain Folding`,
		args: cobra.ExactArgs(1), outputs: []string{"text"},
		print: func(w io.Writer, e schema.Explanation) { _ = lines(w, e.Lines()) }, // Flush returns the error
	}.local(func(_ *cobra.Command, args []string) (schema.Explanation, error) { return schema.Explain(args[0]) })
	cmd.ValidArgsFunction = firstArgument(completion(func(context.Context, []string) ([]string, error) { return schema.Names(), nil }))
	return cmd
}

func xjdfSchemaCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print a schema of XJDF and XJMF, for editors",
		Long: `Print a schema of XJDF 2.2 and XJMF 2.2, with which editors complete and check documents:
a JSON Schema for the JSON of the standard, or an XML Schema. A schema checks structure
and datatypes; "xjdf validate" also checks what the text of the standard requires.`,
		Example: `  printmarket xjdf schema --format xsd >xjdf.xsd
  xmllint --noout --schema xjdf.xsd ticket.xjdf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := schema.JSON()
			if format == "xsd" {
				text = schema.XSD()
			}
			_, err := cmd.OutOrStdout().Write(text)
			return err
		},
	}
	choose(cmd.Flags(), &format, "format", "", "json or xsd", "json", "xsd")
	return cmd
}
