// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Unit is the unit in which the value of an attribute is given. XJDF fixes it
// for each attribute (1.10.1, A.3.23), so it is never written in a document.
type Unit uint8

// The units of table A.81.
const (
	NoUnit Unit = iota
	Degree
	SquareMetre
	Count
	Point
	Micrometre
	LinesPerInch
	GramsPerSquareMetre
	KilowattHour
	DotsPerInch
	PixelsPerInch
	SpotsPerInch
	Celsius
	CubicMetre
	Litre
	Gram
)

var unitSymbols = [...]string{
	NoUnit:              "",
	Degree:              "degree",
	SquareMetre:         "m2",
	Count:               "count",
	Point:               "pt",
	Micrometre:          "um",
	LinesPerInch:        "lpi",
	GramsPerSquareMetre: "gsm",
	KilowattHour:        "kWh",
	DotsPerInch:         "dpi",
	PixelsPerInch:       "ppi",
	SpotsPerInch:        "spi",
	Celsius:             "C",
	CubicMetre:          "m3",
	Litre:               "l",
	Gram:                "g",
}

// String is the symbol of table A.81, empty for NoUnit.
func (u Unit) String() string {
	if int(u) >= len(unitSymbols) {
		return ""
	}
	return unitSymbols[u]
}

func unitNamed(symbol string) (Unit, bool) {
	for u, s := range unitSymbols {
		if s == symbol && s != "" {
			return Unit(u), true
		}
	}
	return NoUnit, false
}
