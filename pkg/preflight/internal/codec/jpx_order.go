// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"cmp"
	"slices"
)

// The orders of packets (table A.16).
const (
	orderLRCP = iota
	orderRLCP
	orderRPCL
	orderPCRL
	orderCPRL
)

// precinctPlace is a precinct with the point of the reference grid that orders it.
type precinctPlace struct {
	x, y                            int
	component, resolution, precinct int
}

// readPackets reads all packets of the tile in its order (B.12). Data of resolutions above
// the given one is skipped.
func (t *tile) readPackets(discard int, room func(int64) bool) {
	p := t.parameters
	changes := p.changes
	if len(changes) == 0 {
		changes = []progression{{order: p.order, resolutionEnd: maxLevels + 1, componentEnd: maxChannels, layerEnd: p.layers}}
	}
	for _, change := range changes {
		if !t.readProgression(change, discard, room) {
			return
		}
	}
}

func (t *tile) readProgression(change progression, discard int, room func(int64) bool) bool {
	places := t.places(change)
	layers := min(change.layerEnd, t.parameters.layers)
	// The time that it takes to look for packets.
	if !room(int64(len(places)) * (16 + int64(layers)/4)) {
		return false
	}
	by := func(keys ...func(a, b precinctPlace) int) {
		slices.SortStableFunc(places, func(a, b precinctPlace) int {
			for _, key := range keys {
				if order := key(a, b); order != 0 {
					return order
				}
			}
			return 0
		})
	}
	resolution := func(a, b precinctPlace) int { return cmp.Compare(a.resolution, b.resolution) }
	component := func(a, b precinctPlace) int { return cmp.Compare(a.component, b.component) }
	position := func(a, b precinctPlace) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) }
	switch change.order {
	case orderRPCL:
		by(resolution, position, component)
	case orderPCRL:
		by(position, component, resolution)
	case orderCPRL:
		by(component, position, resolution)
	default:
		by(resolution, component)
	}
	switch change.order {
	case orderLRCP:
		for layer := range layers {
			if !t.readLayer(places, layer, discard) {
				return false
			}
		}
	case orderRLCP:
		for len(places) > 0 {
			n := 1
			for n < len(places) && places[n].resolution == places[0].resolution {
				n++
			}
			for layer := range layers {
				if !t.readLayer(places[:n], layer, discard) {
					return false
				}
			}
			places = places[n:]
		}
	default:
		for i := range places {
			for layer := range layers {
				if !t.readLayer(places[i:i+1], layer, discard) {
					return false
				}
			}
		}
	}
	return true
}

// readLayer reads the packets of one layer that no earlier order has read.
func (t *tile) readLayer(places []precinctPlace, layer, discard int) bool {
	for _, place := range places {
		c := &t.components[place.component]
		r := &c.resolutions[place.resolution]
		if r.nextLayer[place.precinct] != layer {
			continue
		}
		if !t.packets.read(r, place.precinct, c.coding, place.resolution <= c.coding.levels-discard) {
			return false
		}
	}
	return true
}

// places lists the precincts within the bounds of an order.
func (t *tile) places(change progression) []precinctPlace {
	var places []precinctPlace
	for ci := change.component; ci < min(change.componentEnd, len(t.components)); ci++ {
		c, step := &t.components[ci], t.stream.size.components[ci]
		for ri := change.resolution; ri < min(change.resolutionEnd, len(c.resolutions)); ri++ {
			r, down := &c.resolutions[ri], c.coding.levels-ri
			for i := range r.nextLayer {
				// A precinct that begins before the tile is read at the edge of the tile.
				x, y := (r.x0>>r.precinctX+i%r.across)<<r.precinctX, (r.y0>>r.precinctY+i/r.across)<<r.precinctY
				place := precinctPlace{x: t.x0, y: t.y0, component: ci, resolution: ri, precinct: i}
				if x >= r.x0 {
					place.x = x << down * step.stepX
				}
				if y >= r.y0 {
					place.y = y << down * step.stepY
				}
				places = append(places, place)
			}
		}
	}
	return places
}
