// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// contour returns a line of an ink through points of [page].
func contour(name string, closed bool, points ...geom.Point) facts.Mark {
	shape := &geom.Path{}
	shape.Move(points[0].X, points[0].Y)
	for _, p := range points[1:] {
		shape.Line(p.X, p.Y)
	}
	if closed {
		shape.Close()
	}
	return with(line(0.5, spot(name, 1)), func(m *facts.Mark) { m.Shape, m.Box = shape, shape.Bounds() })
}

func packagingCases() map[string]ruleCase {
	triangle := []geom.Point{{X: 100, Y: 100}, {X: 200, Y: 100}, {X: 150, Y: 200}}
	two := facts.Paint{Space: "DeviceN", Known: true, CMYK: [4]float64{3: 0.5}, Spots: []facts.Tint{{Name: "Spot UV", Amount: 1}}}
	on := func(l *facts.Layer, marks ...facts.Mark) change {
		return func(s *scene) {
			s.doc.Layers = append(s.doc.Layers, l)
			for _, m := range marks {
				m.Layer = l
				paint(m)(s)
			}
		}
	}
	step := func(group, kind string) *facts.Layer {
		return &facts.Layer{Name: "Die", Printed: true, Group: group, Type: kind, Uses: facts.Used(1)}
	}
	cut := contour("CutContour", true, triangle...)
	return map[string]ruleCase{
		"packaging.contour_open": pair(paint(contour("CutContour", false, triangle...)), both(paint(cut), paint(contour("Gold", false, triangle...)))),
		"packaging.cut_tint": pair(
			paint(with(cut, func(m *facts.Mark) { m.Paint = spot("CutContour", 0.99) })),
			both(paint(cut), paint(line(1, spot("Varnish", 0.5))))),
		"packaging.filled_line": pair(paint(area(spot("Dieline", 1))), both(paint(area(spot("White", 1))), paint(cut))),
		"packaging.ink_mixed": pair(
			paint(area(two)),
			both(paint(with(area(two), func(m *facts.Mark) { m.Kind = facts.Picture })), paint(area(spot("Spot UV", 1))))),
		"packaging.layer_mixed": pair(
			on(&facts.Layer{Name: "All", Printed: true}, cut, area(black())),
			both(on(&facts.Layer{Name: "Cut", Printed: true}, cut), paint(area(black())))).and("layer.present"),
		"packaging.step_process": pair(
			on(step("Structural", "Creasing"), line(0.5, black())),
			on(step("Structural", "Creasing"), line(0.5, spot("Crease", 1)))).and("layer.present", "layer.processing_step"),
		"packaging.step_unknown": pair(layer(*step("Structural", "Cut")), both(layer(*step("Structural", "Cutting")), layer(*step("ACME_Foil", "Any")))).
			and("layer.present", "layer.processing_step"),
	}
}

func TestProfileSetsRolesOfInks(t *testing.T) {
	t.Parallel()
	p, err := rules.Parse([]byte("name: house\nversion: '1'\nextends: print_ready\ninks: {Form 7: cut, cut red: artwork}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := sound(paint(area(spot("FORM-7", 1))), paint(area(spot("Cut Red", 1))))
	if diff := cmp.Diff([]string{"packaging.filled_line"}, ids(s.judge(p))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOpenEndsOfCuttingLines(t *testing.T) {
	t.Parallel()
	at := func(x, y float64) geom.Point { return geom.Point{X: x, Y: y} }
	square := contour("Die Cut", true, at(100, 100), at(200, 100), at(200, 200), at(100, 200))
	for name, tc := range map[string]struct {
		marks []facts.Mark
		want  float64
	}{
		"a closed path":                       {[]facts.Mark{square}, 0},
		"a path that ends where it starts":    {[]facts.Mark{contour("Cut", false, at(100, 100), at(200, 100), at(200, 200), at(100, 100))}, 0},
		"an open line":                        {[]facts.Mark{contour("Cut", false, at(100, 100), at(200, 100))}, 2},
		"a line between two lines":            {[]facts.Mark{square, contour("Cut", false, at(100, 150), at(200, 150))}, 0},
		"a line that misses one of two lines": {[]facts.Mark{square, contour("Cut", false, at(100, 150), at(199, 150))}, 1},
		"a line of four parts": {[]facts.Mark{
			contour("Cut", false, at(100, 100), at(200, 100)), contour("Cut", false, at(200, 100.1), at(200, 200)),
			contour("Cut", false, at(200, 200), at(100, 200)), contour("Cut", false, at(100, 100), at(100, 200)),
		}, 0},
		"a line that ends at artwork":     {[]facts.Mark{contour("Cut", false, at(100, 100), at(200, 100)), contour("Gold", true, at(100, 100), at(100, 150), at(200, 100))}, 2},
		"a line outside of the page":      {[]facts.Mark{contour("Cut", false, at(5, 5), at(5, 20))}, 0},
		"an open crease":                  {[]facts.Mark{contour("Crease", false, at(100, 100), at(200, 100))}, 0},
		"a line that begins off the page": {[]facts.Mark{contour("Cut", false, at(5, 100), at(150, 100))}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound()
			for _, m := range tc.marks {
				paint(m)(s)
			}
			got := find(s.judge(lookup(t, "print_ready")), "packaging.contour_open")
			if (got != nil) != (tc.want > 0) || got != nil && got.Parameters["ends"] != tc.want {
				t.Errorf("finding %+v, want %v open ends", got, tc.want)
			}
		})
	}
}

func TestTooManyLinesAreNotJudged(t *testing.T) {
	t.Parallel()
	points := make([]geom.Point, 0, 30_000)
	for i := range cap(points) {
		points = append(points, geom.Point{X: 100 + float64(i%2), Y: 100 + float64(i)/1000})
	}
	out := sound(paint(contour("Cut", false, points...))).judge(lookup(t, "print_ready"))
	if report.Judge(out.Findings) != report.Pass {
		t.Errorf("findings %v", ids(out))
	}
}
