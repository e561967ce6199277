// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"encoding/binary"
	"fmt"
)

// Profile describes an ICC profile with a valid header and the tags that readers require
// (ICC.1:2022, 7.2 and 8). Its conversions are not meaningful, unless Press is set.
type Profile struct {
	// Space is CMYK, RGB, GRAY or Lab.
	Space string
	// Class is prtr, mntr, scnr or spac; "" means prtr.
	Class string
	// Version is 2 or 4; 0 means 4.
	Version int
	// Name is the description; "" selects a name made of space and class.
	Name string
	// Press gives a profile of CMYK the conversions of an offset press. They take time to calculate.
	Press bool
}

// Bytes writes the profile.
func (p Profile) Bytes() []byte {
	if p.Class == "" {
		p.Class = "prtr"
	}
	if p.Name == "" {
		p.Name = "Test " + p.Space + " " + p.Class
	}
	version := []byte{4, 0x30}
	if p.Version == 2 {
		version = []byte{2, 0x40}
	}
	tags := p.tags()
	offset := 128 + 4 + 12*len(tags)
	table, data := binary.BigEndian.AppendUint32(nil, uint32(len(tags))), []byte(nil)
	for _, tag := range tags {
		table = append(table, tag.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(offset+len(data)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(tag.data)))
		data = append(data, tag.data...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(offset+len(data)))
	out = append(out, 0, 0, 0, 0)
	out = append(out, version[0], version[1], 0, 0)
	connection := "Lab"
	if p.Space == "RGB" || p.Space == "GRAY" {
		connection = "XYZ"
	}
	out = fmt.Appendf(out, "%-4s%-4s%-4s", p.Class, p.Space, connection)
	for _, part := range [...]uint16{2026, 1, 2, 3, 4, 5} {
		out = binary.BigEndian.AppendUint16(out, part)
	}
	out = append(out, "acsp"...)
	out = append(out, make([]byte, 28)...)
	// The illuminant of the connection space is always D50.
	for _, v := range d50 {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	out = append(out, make([]byte, 128-len(out))...)
	return append(append(out, table...), data...)
}

var d50 = [3]uint32{0xF6D6, 0x10000, 0xD32D}

type profileTag struct {
	name string
	data []byte
}

func (p Profile) tags() []profileTag {
	white := []byte("XYZ \x00\x00\x00\x00")
	for _, v := range d50 {
		white = binary.BigEndian.AppendUint32(white, v)
	}
	gamma := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33\x00\x00")
	tags := []profileTag{{"desc", p.text(p.Name, "desc")}, {"cprt", p.text("Public domain", "text")}, {"wtpt", white}}
	switch p.Space {
	case "GRAY":
		tags = append(tags, profileTag{"kTRC", gamma})
	case "RGB":
		for _, name := range [...]string{"rXYZ", "gXYZ", "bXYZ"} {
			tags = append(tags, profileTag{name, white})
		}
		for _, name := range [...]string{"rTRC", "gTRC", "bTRC"} {
			tags = append(tags, profileTag{name, gamma})
		}
	default:
		toLab, toDevice := corners(p.channels(), 3), corners(3, p.channels())
		grid := 2
		if p.Press {
			grid = separationGrid
			toLab, toDevice = pressTables()
		}
		tags = append(tags, profileTag{"A2B0", table8(p.channels(), 3, 2, toLab)}, profileTag{"B2A0", table8(3, p.channels(), grid, toDevice)},
			profileTag{"gamt", table8(3, 1, 2, corners(3, 1))})
	}
	return tags
}

func (p Profile) channels() int {
	if p.Space == "CMYK" {
		return 4
	}
	return 3
}

// text encodes a description: textDescriptionType or textType in version 2,
// multiLocalizedUnicodeType in version 4.
func (p Profile) text(text, kind string) []byte {
	if p.Version == 2 && kind == "text" {
		return append([]byte("text\x00\x00\x00\x00"), text+"\x00"...)
	}
	if p.Version == 2 {
		out := binary.BigEndian.AppendUint32([]byte("desc\x00\x00\x00\x00"), uint32(len(text)+1))
		return append(append(out, text+"\x00"...), make([]byte, 4+4+2+1+67)...)
	}
	out := []byte("mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0CenUS")
	out = binary.BigEndian.AppendUint32(out, uint32(2*len(text)))
	out = binary.BigEndian.AppendUint32(out, 28)
	for _, c := range []byte(text) {
		out = append(out, 0, c)
	}
	return out
}

// table8 returns a lut8Type with grid points that maps in channels to out channels.
func table8(in, out, grid int, points []byte) []byte {
	data := []byte{'m', 'f', 't', '1', 0, 0, 0, 0, byte(in), byte(out), byte(grid), 0}
	for i := range 9 {
		one := uint32(0)
		if i%4 == 0 {
			one = 0x10000
		}
		data = binary.BigEndian.AppendUint32(data, one)
	}
	for range in {
		data = append(data, ramp()...)
	}
	data = append(data, points...)
	for range out {
		data = append(data, ramp()...)
	}
	return data
}

// corners returns two grid points for each channel, from high values to low ones.
func corners(in, out int) (points []byte) {
	for corner := range 1 << in {
		for range out {
			points = append(points, byte(255-255*corner/(1<<in)))
		}
	}
	return points
}

func ramp() []byte {
	out := make([]byte, 256)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}
