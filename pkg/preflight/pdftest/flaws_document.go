// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

func documentFlaws() []Flaw {
	set := func(key, value string) func() []byte {
		return write(func(s *Sound) {
			if s.Info[key] = value; value == "" {
				delete(s.Info, key)
			}
		})
	}
	claims := func(version, info, xmp string) func() []byte {
		return write(func(s *Sound) {
			s.Version, s.XMP = version, xmp
			if info != "" {
				s.Info["GTS_PDFXVersion"] = "(" + info + ")"
			}
		})
	}
	return []Flaw{
		{Rule: "document.version_above", Breaks: claims("2.1", "", claimX4), Twin: claims("2.0", "", "")},
		{Rule: "document.pdfx_missing", Breaks: claims("1.6", "", ""), Twin: sound},
		{Rule: "document.not_pdfx4", Profile: "pdfx4", Breaks: claims("1.6", "PDF/X-3:2003", ""), Twin: sound},
		{Rule: "document.not_pdfx1a", Profile: "pdfx1a", Breaks: claims("1.4", "PDF/X-3:2003", ""), Twin: claims("1.4", "PDF/X-1a:2003", "")},
		{Rule: "document.not_pdfx3", Profile: "pdfx3", Breaks: claims("1.4", "PDF/X-1a:2003", ""), Twin: claims("1.4", "PDF/X-3:2003", "")},
		{Rule: "document.not_pdfx6", Profile: "pdfx6", Breaks: sound, Twin: claims("2.0", "", "<pdfxid:GTS_PDFXVersion>PDF/X-6</pdfxid:GTS_PDFXVersion>")},
		{Rule: "document.standard_conflict", Breaks: claims("1.6", "PDF/X-3:2003", claimX4), Twin: claims("1.6", "PDF/X-4", claimX4)},
		{Rule: "document.standards", Breaks: claims("1.6", "", claimX4), Twin: claims("1.6", "", "")},
		{Rule: "document.trapped_missing", Breaks: set("Trapped", ""), Twin: sound},
		{Rule: "document.trapped_missing", Variant: "Unknown", Breaks: set("Trapped", "/Unknown"), Twin: set("Trapped", "/True")},
		{Rule: "document.trapped", Profile: "label", Breaks: set("Trapped", "/True"), Twin: sound},
		{Rule: "document.id_missing", Breaks: write(func(s *Sound) { s.NoID = true }), Twin: sound},
		{Rule: "document.dates_missing", Breaks: write(func(s *Sound) { delete(s.Info, "CreationDate"); delete(s.Info, "ModDate") }), Twin: sound},
		{Rule: "document.dates_missing", Variant: "no dates", Breaks: write(func(s *Sound) { s.Info["CreationDate"], s.Info["ModDate"] = "(today)", "(today)" }), Twin: sound},
		{Rule: "document.title_missing", Profile: "pdfx4", Breaks: set("Title", ""), Twin: sound},
	}
}

func intentFlaws() []Flaw {
	intents := func(write func(s *Sound) string) func() []byte {
		return func() []byte {
			s := NewSound()
			s.Intents = write(s)
			return s.Bytes(s.Page("", ""))
		}
	}
	profile := func(n int, p Profile) func() []byte {
		return intents(func(s *Sound) string { return s.Intent("GTS_PDFX", "FOGRA51", s.ProfileStream(n, p)) })
	}
	const bare = "<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (FOGRA51) >>"
	return []Flaw{
		{Rule: "outputintent.missing", Breaks: intents(func(*Sound) string { return "" }), Twin: sound},
		{
			Rule: "outputintent.missing", Variant: "another subtype",
			Breaks: intents(func(s *Sound) string {
				return s.Intent("GTS_PDFA1", "FOGRA51", s.ProfileStream(4, Profile{Space: "CMYK"}))
			}),
			Twin: sound,
		},
		{
			Rule:   "outputintent.multiple",
			Breaks: intents(func(s *Sound) string { return s.Intents + " " + s.Intents }),
			Twin:   intents(func(s *Sound) string { return s.Intents + " " + s.Intent("GTS_PDFA1", "FOGRA51", 0) }),
		},
		{Rule: "outputintent.not_cmyk", Breaks: profile(3, Profile{Space: "RGB"}), Twin: profile(4, Profile{Space: "CMYK"})},
		{
			Rule:   "outputintent.profile_missing",
			Breaks: intents(func(*Sound) string { return bare }),
			Twin: intents(func(*Sound) string {
				return strings.Replace(bare, " >>", " /RegistryName (http://www.color.org) >>", 1)
			}),
		},
		{Rule: "outputintent.profile_invalid", Variant: "number of components", Breaks: profile(3, Profile{Space: "CMYK"}), Twin: profile(4, Profile{Space: "CMYK"})},
		{Rule: "outputintent.profile_invalid", Variant: "class", Breaks: profile(4, Profile{Space: "CMYK", Class: "scnr"}), Twin: profile(4, Profile{Space: "CMYK", Version: 2})},
		{
			Rule: "outputintent.profile_invalid", Variant: "rubbish",
			Breaks: intents(func(s *Sound) string { return s.Intent("GTS_PDFX", "FOGRA51", s.Flate("/N 4", []byte("rubbish"))) }),
			Twin:   sound,
		},
	}
}

// ticketFlaws returns the flaws that exist only in comparison with an order.
func ticketFlaws() []Flaw {
	pages := func(n int) func() []byte { return func() []byte { return pagesOf(n) } }
	a4 := &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 210, Height: 297}}
	cmyk := &jobticket.Ticket{Colors: &jobticket.Colors{Process: 4}}
	black := &jobticket.Ticket{Colors: &jobticket.Colors{Process: 1}}
	gold := &jobticket.Ticket{Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}}
	spot := inSpot("Gold", "0 0.2 0.8 0.2")
	varnish := inSpot("Varnish", "0 0 0.1 0")
	condition := func(name string) func() []byte {
		return func() []byte {
			s := NewSound()
			s.Intents = s.Intent("GTS_PDFX", name, s.ProfileStream(4, Profile{Space: "CMYK"}))
			return s.Bytes(s.Page("", ""))
		}
	}
	twoSided := func(back string) func() []byte {
		return func() []byte {
			s := NewSound()
			return s.Bytes(s.Page("1 0 0 0 k 60 300 50 50 re f\n", ""), s.Page(back+" k 60 300 50 50 re f\n", ""))
		}
	}
	return []Flaw{
		{Rule: "intent.page_count", Ticket: &jobticket.Ticket{Pages: 4}, Breaks: pages(3), Twin: pages(4)},
		{Rule: "intent.page_multiple", Ticket: &jobticket.Ticket{Product: jobticket.Product{Binding: jobticket.SaddleStitch}}, Breaks: pages(7), Twin: pages(8)},
		{Rule: "intent.page_multiple", Variant: "soft cover", Ticket: &jobticket.Ticket{Product: jobticket.Product{Binding: jobticket.SoftCover}}, Breaks: pages(7), Twin: pages(6)},
		{Rule: "intent.back_printed", Ticket: &jobticket.Ticket{Pages: 1, Colors: &jobticket.Colors{Process: 4}, Product: jobticket.Product{BackColors: &jobticket.Colors{}}}, Breaks: pages(2), Twin: pages(1)},
		{
			Rule: "intent.cover_size", Ticket: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}, Product: jobticket.Product{Part: jobticket.Cover, Spine: 8}},
			Breaks: page(func(_ *Sound, p *Page) { p.sized(300, 210) }), Twin: page(func(_ *Sound, p *Page) { p.sized(304, 210) }),
		},
		{Rule: "intent.colors_extra", Variant: "on the back", Ticket: &jobticket.Ticket{Colors: &jobticket.Colors{Process: 4}, Product: jobticket.Product{BackColors: &jobticket.Colors{Process: 1}}}, Breaks: twoSided("1 0 0 0"), Twin: twoSided("0 0 0 1")},
		{Rule: "box.bleed_short", Variant: "ordered", Ticket: &jobticket.Ticket{Product: jobticket.Product{Bleed: new(4.0)}}, Breaks: sound, Twin: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim.Around(MM(4)) })},
		{Rule: "intent.trim_size", Ticket: a4, Breaks: page(func(_ *Sound, p *Page) { p.sized(148, 210) }), Twin: sound},
		{Rule: "intent.trim_size", Variant: "turned", Ticket: a4, Breaks: page(func(_ *Sound, p *Page) { p.Rotate = 90 }), Twin: sound},
		{Rule: "intent.colors_extra", Variant: "spot colour", Ticket: cmyk, Breaks: spot, Twin: content("0 0.2 0.8 0.2 k 60 300 50 50 re f\n")},
		{Rule: "intent.colors_extra", Variant: "process colour", Ticket: black, Breaks: content("1 0 0 0 k 60 300 50 50 re f\n"), Twin: content("0 0 0 1 k 60 300 50 50 re f\n")},
		{Rule: "intent.colors_missing", Ticket: gold, Breaks: sound, Twin: spot},
		{Rule: "intent.stock", Ticket: &jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated}}}, Breaks: sound, Twin: condition("FOGRA52")},
		{Rule: "intent.varnish_extra", Ticket: &jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.NoVarnish}}, Breaks: varnish, Twin: spot},
		{Rule: "intent.varnish_missing", Ticket: &jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.SpotVarnish}}, Breaks: spot, Twin: varnish},
	}
}
