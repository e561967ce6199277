// SPDX-License-Identifier: Apache-2.0

// Package design holds the style sheet, the icons and the script that the dashboard and the
// documentation share.
//
// The style sheet is assets/design.css. A build that has the files of tools/page-assets adds
// Pico in a cascade layer below it, and the icons of Lucide as a sprite. Without these files,
// pages have the same layout, plainer forms, and dots in place of icons (docs/adr/0091).
package design

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// The names of the files that pages load from one directory.
const (
	StyleFile  = "design.css"
	ScriptFile = "design.js"
	IconsFile  = "icons.svg"
	BrandFile  = "favicon.svg"
)

//go:embed assets
var assets embed.FS

// Files returns the files by their names. Callers must not change them.
var Files = sync.OnceValue(func() map[string][]byte {
	files, err := build(assets)
	if err != nil {
		panic(err) // the embedded files are those that the tests read
	}
	return files
})

// build makes the files from a directory with the layout of assets.
func build(source fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{StyleFile, ScriptFile, BrandFile} {
		content, err := fs.ReadFile(source, "assets/"+name)
		if err != nil {
			return nil, fmt.Errorf("read a file of the design: %w", err)
		}
		files[name] = content
	}
	style := slices.Concat(files[StyleFile], themeRules(files[StyleFile]))
	if pico, err := fs.ReadFile(source, "assets/dist/pico.css"); err == nil {
		pico = bytes.TrimPrefix(pico, []byte(`@charset "UTF-8";`))
		style = fmt.Appendf(nil, "@layer pico {\n%s\n}\n%s", bytes.TrimSpace(pico), style)
	}
	icons, err := fs.Glob(source, "assets/dist/icons/*.svg")
	if err != nil {
		return nil, fmt.Errorf("list the icons: %w", err)
	}
	if files[IconsFile], err = sprite(source, icons); err != nil {
		return nil, err
	}
	if len(icons) > 0 {
		style = append(style, iconRules(icons)...)
	}
	files[StyleFile] = style
	return files, nil
}

// iconSize is the width and height of an icon in the units of the sprite.
const iconSize = 24

// sprite stacks icons in one picture, with the licence of their authors.
func sprite(source fs.FS, icons []string) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`+"\n", iconSize, max(1, len(icons))*iconSize)
	if licence, err := fs.ReadFile(source, "assets/dist/lucide-license.txt"); err == nil {
		fmt.Fprintf(&out, "<!--\n%s\n-->\n", bytes.ReplaceAll(licence, []byte("--"), []byte("==")))
	}
	for i, name := range icons {
		icon, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, fmt.Errorf("read an icon: %w", err)
		}
		fmt.Fprintf(&out, `<svg y="%d"`, i*iconSize)
		out.Write(icon[bytes.Index(icon, []byte("<svg"))+len("<svg"):])
	}
	out.WriteString("</svg>\n")
	return out.Bytes(), nil
}

// iconRules returns the rules that cut an icon out of the sprite: a variable with the position
// of each icon, a class that selects it, and the mask in which the icon is drawn in the
// colour of the text.
func iconRules(icons []string) string {
	var out strings.Builder
	out.WriteString("\n:root {")
	for i, name := range icons {
		fmt.Fprintf(&out, " --i-%s: %d;", iconName(name), i)
	}
	out.WriteString(" }\n")
	for _, name := range icons {
		fmt.Fprintf(&out, ".i-%[1]s, .icon.i-%[1]s::before { --i: var(--i-%[1]s); }\n", iconName(name))
	}
	fmt.Fprintf(&out, `.icon::before, .state::before {
  content: ""; display: inline-block; flex: none; width: 1.15em; height: 1.15em; border-radius: 0; background: currentColor;
  mask: url(%s) 0 calc(var(--i) / %d * 100%%) / 100%% auto no-repeat;
}
`, IconsFile, max(1, len(icons)-1))
	return out.String()
}

func iconName(file string) string { return strings.TrimSuffix(path.Base(file), ".svg") }
