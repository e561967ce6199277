// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Unit is the unit of the value of an attribute. XJDF defines it for each attribute
// (1.10.1, A.3.23), so documents do not contain it.
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
