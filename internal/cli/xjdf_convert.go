// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/schema"
)

func xjdfConvertCommand() *cobra.Command {
	var to, path string
	cmd := &cobra.Command{
		Use:   "convert FILE",
		Short: "Write a document in another encoding",
		Example: `  printmarket xjdf convert flyer.json --to xml
  printmarket xjdf convert ticket.xjdf --to json -f ticket.xjdf.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notAnInput(path, args); err != nil {
				return err
			}
			document, err := readTree(cmd, args[0])
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				switch to {
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
			}
			if path != "" {
				return replaceFile(path, write)
			}
			return write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	choose(f, &to, "to", "", "encoding: json (of the standard), xml or json-attributes (with at signs)", "json", "xml", "json-attributes")
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
			changes := xjdf.Diff(roots[0], roots[1])
			err := printOutput(cmd, output, append([]xjdf.Change{}, changes...), func(w io.Writer) {
				for _, c := range changes {
					line(w, changeText(c))
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

// changeText returns a difference in one line.
func changeText(c xjdf.Change) string {
	switch {
	case c.Kind == xjdf.Changed:
		return fmt.Sprintf("changed %s: %q to %q", c.Path, c.From, c.To)
	case c.From+c.To != "":
		return fmt.Sprintf("%s %s: %q", c.Kind, c.Path, c.From+c.To)
	default:
		return fmt.Sprintf("%s %s", c.Kind, c.Path)
	}
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
