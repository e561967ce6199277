// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// format returns a format with n components in ranges that need rounding.
func format(kind, coordinate, component, flag, n int) MeshFormat {
	f := MeshFormat{Kind: kind, Coordinate: coordinate, Component: component, Flag: flag, Columns: 3, Components: n, Decode: []float64{-16384, 16383, 12.5, -3}}
	for range n {
		f.Decode = append(f.Decode, -0.1, 0.7)
	}
	return f
}

func TestRecordsKeepEachBit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for kind := FreeMesh; kind <= TensorMesh; kind++ {
		for _, coordinate := range []int{1, 2, 4, 8, 12, 16, 24, 32} {
			for _, component := range []int{1, 2, 4, 8, 12, 16} {
				for _, flag := range []int{2, 4, 8} {
					if kind == LatticeMesh {
						flag = 0
					}
					f := format(kind, coordinate, component, flag, 3)
					// Records that have been read as random data.
					noise := make([]byte, 400)
					for i := range noise {
						noise[i] = byte(random.Uint32())
					}
					var want []byte
					count := 0
					f.Records(noise, func(r *MeshRecord) bool {
						want = f.Append(want, r)
						count++
						return true
					})
					var got []byte
					again := 0
					f.Records(want, func(r *MeshRecord) bool {
						got = f.Append(got, r)
						again++
						return true
					})
					if !bytes.Equal(got, want) || count != again || count == 0 {
						t.Errorf("%+v: %d records of %d bytes, want %d of %d", f, again, len(got), count, len(want))
					}
				}
			}
		}
	}
}

func TestTrianglesOfAMesh(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		format MeshFormat
		data   []byte
		want   []string
	}{
		"flags share edges": {
			format(FreeMesh, 8, 8, 8, 1),
			[]byte{0, 1, 1, 0, 7, 2, 2, 0, 9, 3, 3, 0, 1, 4, 4, 0, 2, 5, 5, 0, 0, 6, 6, 0},
			[]string{"1 2 3", "2 3 4", "2 4 5"},
		},
		"rows of a lattice": {
			format(LatticeMesh, 8, 8, 0, 1),
			[]byte{1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0},
			[]string{"1 2 4", "2 4 5", "2 3 5", "3 5 6"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			tc.format.Triangles(tc.data, func(a, b, c *MeshVertex) bool {
				got = append(got, fmt.Sprint(a.Point[0], b.Point[0], c.Point[0]))
				return true
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("triangles (-want +got):\n%s", diff)
			}
		})
	}
}

// on returns a point of the surface of a patch.
func (p *MeshPatch) on(u, v float64) (out MeshPoint) {
	weights := func(t float64) [4]float64 {
		s := 1 - t
		return [4]float64{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
	}
	for i, wu := range weights(u) {
		for k, wv := range weights(v) {
			for d := range out {
				out[d] += wu * wv * p.Points[i][k][d]
			}
		}
	}
	return out
}

func TestHalvesOfAPatchAreItsSurface(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for kind := CoonsMesh; kind <= TensorMesh; kind++ {
		f := format(kind, 16, 8, 8, 3)
		r := MeshRecord{Points: make([]MeshPoint, 12+4*(kind-CoonsMesh)), Colors: make([]MeshColor, 4)}
		for i := range r.Points {
			r.Points[i] = MeshPoint{float64(random.IntN(65536)), float64(random.IntN(65536))}
		}
		for i := range r.Colors {
			r.Colors[i] = MeshColor{random.Float64() * 0.7, random.Float64() * 0.7, random.Float64() * 0.7}
		}
		f.Patches(f.Append(nil, &r), func(p *MeshPatch) bool {
			low, high := p.Split(3)
			turned := p.Transposed()
			for _, at := range [][2]float64{{0, 0}, {0.2, 0.7}, {0.5, 0.5}, {1, 0.3}, {0.9, 1}} {
				u, v := at[0], at[1]
				for name, pair := range map[string][2]MeshPatch{"low": {low, *p}, "high": {high, *p}, "transposed": {turned, *p}} {
					x, y := u/2, v
					switch name {
					case "high":
						x = 0.5 + u/2
					case "transposed":
						x, y = v, u
					}
					got, want := pair[0].on(u, v), pair[1].on(x, y)
					if math.Hypot(got[0]-want[0], got[1]-want[1]) > 1e-6 {
						t.Errorf("type %d, %s half at %v: %v, want %v", kind, name, at, got, want)
					}
					gotColor, wantColor := pair[0].At(u, v, 3), pair[1].At(x, y, 3)
					for i := range 3 {
						if math.Abs(gotColor[i]-wantColor[i]) > 1e-9 {
							t.Errorf("type %d, %s half at %v: colour %v, want %v", kind, name, at, gotColor[:3], wantColor[:3])
						}
					}
				}
			}
			// A half of a CoonsMesh patch is the CoonsMesh patch of its outline.
			if kind == CoonsMesh {
				again := low
				again.coons()
				for i := range 4 {
					for k := range 4 {
						if a, b := again.Points[i][k], low.Points[i][k]; math.Hypot(a[0]-b[0], a[1]-b[1]) > 1e-6 {
							t.Errorf("point %d,%d of the half is %v, want %v", i, k, b, a)
						}
					}
				}
			}
			return true
		})
	}
}

// FuzzMesh reads any data in any format, and writes what it has read.
func FuzzMesh(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(0), uint8(8), uint8(8), uint8(8), uint8(3))
	f.Add(bytes.Repeat([]byte{3, 200, 17}, 60), uint8(3), uint8(32), uint8(16), uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, kind, coordinate, component, flag, n uint8) {
		m := format(FreeMesh+int(kind%4), 1+int(coordinate%32), 1+int(component%16), 2+int(flag%7), 1+int(n%32))
		var out []byte
		m.Records(data, func(r *MeshRecord) bool {
			out = m.Append(out, r)
			return true
		})
		if len(out) > len(data) {
			t.Errorf("%d bytes of records from %d bytes", len(out), len(data))
		}
		if m.Kind < CoonsMesh {
			m.Triangles(data, func(_, _, _ *MeshVertex) bool { return true })
			return
		}
		m.Patches(data, func(p *MeshPatch) bool {
			_ = p.Record(m.Kind)
			return true
		})
	})
}
