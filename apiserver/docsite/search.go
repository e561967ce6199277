// SPDX-License-Identifier: Apache-2.0

package docsite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// SearchPage is the file of the search.
const SearchPage = "search.html"

// index is the file that the script searches.
type index struct {
	// Pages are files with their titles. Their indexes are the numbers of pages.
	Pages [][2]string `json:"pages"`
	// Headings have the number of the page, the id and the text.
	Headings [][3]any `json:"headings"`
	// Words maps a word to the numbers of its pages.
	Words map[string][]int `json:"words"`
}

func (b *builder) writeSearch() error {
	all := index{Pages: [][2]string{}, Headings: [][3]any{}, Words: map[string][]int{}}
	for _, name := range b.byWeight() {
		if path.Base(path.Dir(name)) == releasedDir {
			continue // the current version has the same words
		}
		p := b.pages[name]
		number := len(all.Pages)
		all.Pages = append(all.Pages, [2]string{address(p.path), p.title})
		for _, h := range p.headings[min(1, len(p.headings)):] {
			all.Headings = append(all.Headings, [3]any{number, h.ID, h.Text})
		}
		for _, word := range words(plain(p.tree, p.source)) {
			all.Words[word] = append(all.Words[word], number)
		}
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write the index of the search: %w", err)
	}
	b.site["search.json"] = encoded
	return b.show(SearchPage, view{Title: "Search", Search: true, Versions: b.versions("search.md")}, search())
}

// byWeight sorts the pages in the order of search results: first those in the navigation, in
// its order, then all others.
func (b *builder) byWeight() []string {
	place := map[string]int{}
	for _, part := range b.sections {
		for _, link := range part.Links {
			place[link.File] = len(place)
		}
	}
	weight := func(name string) int {
		if at, named := place[address(name)]; named {
			return at
		}
		return len(place)
	}
	return slices.SortedFunc(maps.Keys(b.pages), func(a, c string) int {
		return cmp.Or(cmp.Compare(weight(a), weight(c)), strings.Compare(a, c))
	})
}

// words returns the words of a text that can be searched, each once: 3 to 40 letters, digits
// and underscores, in lower case.
func words(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(word string) bool { return len(word) < 3 || len(word) > 40 })
}
