// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/simulation"
)

// TestLaneForSmallFiles measures whether jobs with small files should have slots of their own.
// Cards are fetched in 20 to 200 ms and inspected in 17 ms; books are fetched in 2 to 10 s and
// inspected in 0.8 s. A tenth of the jobs are books, which cause most of the work.
func TestLaneForSmallFiles(t *testing.T) { scenario(t, aLaneForSmallFiles) }

func aLaneForSmallFiles(t *testing.T) {
	rows := [][]any{row("owner", "load", "lane", "cards", "p50", "p99", "most", "books", "p50", "p99", "most", "in use")}
	waits99 := map[string]time.Duration{}
	for _, load := range size([]float64{0.9}, []float64{0.7, 0.9, 1.2}) {
		for _, layout := range size([]layout{layouts[0], layouts[3]}, layouts) {
			w := newFixture(t, simulation.Config{Seed: 8, Workers: size(2, 10), Slots: 4, Shares: layout.shares})
			span := size(time.Minute, 3*time.Minute)
			w.Measure(0, span)
			layout.add(w, load*float64(size(8, 40)), span)
			w.run(span)
			cards, books := w.Waits(isCard), w.Waits(func(j simulation.Job) bool { return !isCard(j) })
			if layout.shares == nil {
				waits99[layout.name] = cards.At(0.99)
			}
			rows = append(rows, row(layout.name, percent(load), layout.slots, waits(cards), waits(books), percent(w.Utilisation())))
		}
		if alone, behind := waits99["others"], waits99["same"]; alone >= behind {
			t.Errorf("at a load of %s cards waited %s for another's books and %s for their own", percent(load), alone, behind)
		}
	}
	show(t, "lanes", table(rows...))
}

// layout separates books from cards.
type layout struct {
	name, slots string
	shares      func(tenant.ID) queue.Share
	cards       string
}

// A lane is a cap on books with the same slots: cards may use all slots, books only some.
var layouts = []layout{
	{"same", "none", nil, "books1"},
	{"same", "10 of 40", weights(map[string]queue.Share{"books1": {Most: 30}}), "cards1"},
	{"same", "4 of 40", weights(map[string]queue.Share{"books1": {Most: 36}}), "cards1"},
	{"others", "none", nil, "cards1"},
}

func (l layout) add(w *fixture, slots float64, span time.Duration) {
	random := rand.New(rand.NewPCG(1, 1))
	mean := 0.9*simulation.Mean(card, random).Seconds() + 0.1*simulation.Mean(book, random).Seconds()
	rate := slots / mean
	w.Add(0, w.Steadily(owner(l.cards), 0.9*rate, span, card))
	w.Add(0, w.Steadily(owner("books1"), 0.1*rate, span, book))
}

// The longest card is far shorter than the shortest book.
func isCard(j simulation.Job) bool { return j.Takes < time.Second }

func card(random *rand.Rand) time.Duration {
	return 37*time.Millisecond + time.Duration(random.Int64N(int64(180*time.Millisecond)))
}

func book(random *rand.Rand) time.Duration {
	return 2800*time.Millisecond + time.Duration(random.Int64N(int64(8*time.Second)))
}
