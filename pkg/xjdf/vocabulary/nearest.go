// SPDX-License-Identifier: Apache-2.0

package vocabulary

import "strings"

// maxDistance bounds the edit distance of similar words. Short words allow fewer edits:
// a third of their length.
const maxDistance = 2

// longestWord bounds the work. No name of the standard is longer.
const longestWord = 64

// Nearest returns the most similar candidate. A candidate that differs in case only is
// the best; then the smallest edit distance counts, up to 2 and up to a third of the
// word. Of candidates at the same distance the first wins.
func Nearest(word string, candidates []string) (string, bool) {
	if word == "" || len(word) > longestWord {
		return "", false
	}
	if i := indexFold(candidates, word); i >= 0 {
		return candidates[i], true
	}
	allowed := min(maxDistance, len(word)/3)
	best, found := "", false
	for _, candidate := range candidates {
		if d := editDistance(word, candidate, allowed); d <= allowed {
			best, found = candidate, true
			if d <= 1 {
				break
			}
			allowed = d - 1
		}
	}
	return best, found
}

// editDistance counts the letters to insert, delete, replace or swap with their
// neighbour, ignoring case. A result above limit is not exact.
func editDistance(a, b string, limit int) int {
	if limit <= 0 || len(b) > longestWord || abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	if abs(len(a)-len(b)) > limit || len(a) > longestWord || len(b) > longestWord {
		return limit + 1
	}
	var rows [3][longestWord + 1]int
	before, above, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

func abs(n int) int {
	return max(n, -n)
}
