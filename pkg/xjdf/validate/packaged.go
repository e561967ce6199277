// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The rules about files, which apply to messages as well.
const (
	fileMissing = "PACKAGE_FILE_MISSING"
	fileOutside = "PACKAGE_FILE_OUTSIDE"
	jobMissing  = "PACKAGE_JOB_MISSING"
)

var packageRules = []row{
	newRow(fileMissing, Semantics, both(Warning), "9.7.1.2", "A local URL of a packaged document should name a file of the package.", "Add the file to the package, or write its name from the root of the package.").of(document, packageFileMissing),
	newRow(fileOutside, Semantics, both(Error), "9.7.1.2", "A local URL of a packaged document must not leave the package.", "Write the name of a file of the package, from its root.").of(document, packageFileOutside),
	newRow(jobMissing, Semantics, both(Error), "9.7.1.2", "A message of a package must name a job ticket of the package.", "Add the job ticket to the package, or write its name from the root of the package."),
} // constant

func packageFileOutside(p *pass, _ *xjdf.Node) {
	for _, u := range p.urls {
		if _, inside, local := packaged(u.value); local && !inside {
			p.findAs(fileOutside, u.node, u.attribute, func() (string, string) {
				return fmt.Sprintf("%s is %s, which is not in the package.", u.attribute, quoted(u.value)), ""
			})
		}
	}
}

// packaged returns the name of the file that a URL means within a package. inside is
// false for a file elsewhere on a machine, and ok for the URL of another machine.
func packaged(text string) (name string, inside, ok bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false, false // URL_FORM
	}
	switch u.Scheme {
	case "cid":
		return text, true, true
	case "file", "":
	default:
		return "", false, false
	}
	name = u.Path
	if u.Opaque != "" {
		if name, err = url.PathUnescape(u.Opaque); err != nil {
			return "", false, false
		}
	}
	if name == "" && u.Host == "" {
		return "", false, false // a query or a fragment of the document itself
	}
	clean := path.Clean(name)
	inside = u.Host == "" && !strings.HasPrefix(clean, "/") && clean != ".." && !strings.HasPrefix(clean, "../") && !strings.ContainsAny(clean, "\\:")
	return clean, inside, true
}

func packageFileMissing(p *pass, _ *xjdf.Node) {
	if len(p.urls) == 0 {
		return
	}
	known := make(map[string]bool, len(p.options.Files))
	for _, name := range p.options.Files {
		known[name] = true
	}
	for _, u := range p.urls {
		if name, inside, local := packaged(u.value); local && inside && !known[name] {
			code := fileMissing
			if submits(u.node) {
				code = jobMissing
			}
			p.findAs(code, u.node, u.attribute, func() (string, string) { return fmt.Sprintf("The package has no file %s.", quoted(name)), "" })
		}
	}
}
