// SPDX-License-Identifier: Apache-2.0

package texts

// pages holds the texts of the rules about pages, their boxes, fonts and text.
var pages = []rule{
	{
		id: "page.blank", title: text{"Page is empty", "Seite ist leer"},
		fix:      text{"Remove the page if it is not intended.", "Seite entfernen, falls sie nicht gewollt ist."},
		messages: one("The page is empty: no object on it leaves ink.", "Die Seite ist leer: Kein Objekt auf ihr hinterlässt Farbe."),
	},
	{
		id: "page.count", title: text{"Too few pages", "Zu wenige Seiten"},
		fix:      text{"Export all pages of the document.", "Alle Seiten des Dokuments exportieren."},
		messages: one("The document has {value:pages}; the minimum is {limit}.", "Das Dokument hat {value:pages}; nötig sind mindestens {limit}."),
	},
	{
		id: "page.count_above", title: text{"Too many pages", "Zu viele Seiten"},
		fix:      text{"Send pages that belong to another order as a separate file.", "Seiten, die zu einem anderen Auftrag gehören, als eigene Datei senden."},
		messages: one("The document has {value:pages}; the maximum is {limit}.", "Das Dokument hat {value:pages}; zulässig sind höchstens {limit}."),
	},
	{
		id: "page.count_multiple", title: text{"Page count does not fit the binding", "Seitenzahl passt nicht zur Bindung"},
		fix:      text{"Add or remove pages; empty pages count.", "Seiten ergänzen oder entfernen; leere Seiten zählen mit."},
		messages: one("The document has {value:pages}; the count must be a multiple of {limit}.", "Das Dokument hat {value:pages}; die Anzahl muss ein Vielfaches von {limit} sein."),
	},
	{
		id: "page.orientation_mixed", title: text{"Portrait and landscape are mixed", "Hoch- und Querformat gemischt"},
		fix:      text{"Check that each page has the orientation required for binding.", "Prüfen, ob jede Seite so gedreht ist, wie sie gebunden wird."},
		messages: one("The page is {orientation:orientation}; page 1 is {first:orientation}.", "Die Seite ist im {orientation:orientation}, Seite 1 im {first:orientation}."),
	},
	{
		id: "page.rotate_invalid", title: text{"Page rotation is invalid", "Seitendrehung ist ungültig"},
		fix:      text{"Rotate the page by 0, 90, 180 or 270 degrees.", "Seite um 0, 90, 180 oder 270 Grad drehen."},
		messages: one("The page is rotated by {degrees} degrees; only multiples of 90 degrees are allowed.", "Die Seite ist um {degrees} Grad gedreht; zulässig sind nur Vielfache von 90 Grad."),
	},
	{
		id: "page.size_mixed", title: text{"Pages differ in size", "Seiten haben verschiedene Formate"},
		fix:      text{"Give all pages the same trim size, or send each size as a separate file.", "Alle Seiten auf dasselbe Endformat bringen oder jedes Format als eigene Datei senden."},
		messages: one("The page is {width_mm} x {height_mm} mm; page 1 is {firstWidth_mm} x {firstHeight_mm} mm.", "Die Seite misst {width_mm} x {height_mm} mm, Seite 1 dagegen {firstWidth_mm} x {firstHeight_mm} mm."),
	},
	{
		id: "page.rotated", title: text{"Page is rotated by its entry Rotate", "Seite ist über den Eintrag Rotate gedreht"},
		fix:      text{"Rotate the layout instead of the page, and export again.", "Das Layout statt der Seite drehen und erneut exportieren."},
		messages: one("The page is rotated by {degrees} degrees.", "Die Seite ist um {degrees} Grad gedreht."),
	},
	{
		id: "page.user_unit", title: text{"Page is scaled (UserUnit)", "Seite ist skaliert (UserUnit)"},
		fix:      text{"Export without scaling if the page is not larger than 5 m.", "Ohne Skalierung exportieren, wenn die Seite nicht größer als 5 m ist."},
		messages: one("The page is scaled by UserUnit {userUnit}; software that ignores UserUnit prints it in another size.", "Die Seite ist mit UserUnit {userUnit} skaliert; Software, die UserUnit nicht auswertet, druckt sie in anderer Größe."),
	},

	{
		id: "box.art_short_of_bleed", title: text{"Artwork does not fill the bleed", "Motiv füllt den Beschnitt nicht"}, fix: bleed,
		messages: one("Artwork reaches the trim edge but extends only {value} mm beyond it at the {edges:edge}; the minimum is {limit} mm{tolerance:tolerance_mm}.",
			"Das Motiv reicht bis an das Endformat, aber nur {value} mm darüber hinaus ({edges:edge}); nötig sind mindestens {limit} mm{tolerance:tolerance_mm}."),
	},
	{
		id: "box.bleed_missing", title: text{"Bleed is missing", "Beschnitt fehlt"}, fix: bleed,
		messages: one("The page has no bleed beyond its trim edges.", "Die Seite hat keinen Beschnitt außerhalb des Endformats."),
	},
	{
		id: "box.bleed_short", title: text{"Bleed is too small", "Beschnitt ist zu klein"}, fix: bleed,
		messages: one("The bleed is too small at the {edges:edge}: {value} mm at the narrowest edge; the minimum is {limit} mm{tolerance:tolerance_mm}.",
			"Der Beschnitt ist zu klein ({edges:edge}): an der schmalsten Kante {value} mm; nötig sind mindestens {limit} mm{tolerance:tolerance_mm}."),
	},
	{
		id: "box.crop_differs", title: text{"CropBox cuts into the page", "CropBox beschneidet die Seite"},
		fix:      text{"Reset the crop of the pages in Acrobat (Set Page Boxes) or export again as PDF/X.", "Seitenbeschnitt in Acrobat zurücksetzen (Seitenrahmen festlegen) oder erneut als PDF/X exportieren."},
		messages: one("The CropBox hides part of the {area:area}.", "Die CropBox verdeckt einen Teil {area:area}."),
	},
	{
		id: "box.crop_not_media", title: text{"CropBox differs from the MediaBox", "CropBox weicht von der MediaBox ab"},
		fix:      text{"Reset the crop of the pages in Acrobat (Set Page Boxes), so that the whole MediaBox is visible.", "Seitenbeschnitt in Acrobat zurücksetzen (Seitenrahmen festlegen), damit die ganze MediaBox sichtbar ist."},
		messages: one("The CropBox shows another area than the MediaBox.", "Die CropBox zeigt einen anderen Bereich als die MediaBox."),
	},
	{
		id: "box.nesting", title: text{"Page boxes are not nested", "Seitenrahmen liegen nicht ineinander"},
		fix:      text{"Export again as PDF/X, which places the TrimBox inside the BleedBox and the BleedBox inside the MediaBox.", "Erneut als PDF/X exportieren; dabei liegt die TrimBox in der BleedBox und diese in der MediaBox."},
		messages: one("The {inner} is not inside the {outer}.", "Die {inner} liegt nicht innerhalb der {outer}."),
	},
	{
		id: "box.oversize", title: text{"Page is too large for PDF", "Seite ist zu groß für PDF"},
		fix:      text{"Export at one tenth of the size and state the scale in the order.", "In einem Zehntel der Größe exportieren und den Maßstab im Auftrag angeben."},
		messages: one("The longer side of the page is {value} units; PDF software need not support more than {limit} units.", "Die längere Seite misst {value} Einheiten; PDF-Software muss höchstens {limit} Einheiten unterstützen."),
	},
	{
		id: "box.trim_and_art", title: text{"Page has a TrimBox and an ArtBox", "Seite hat TrimBox und ArtBox"},
		fix:      text{"Export again as PDF/X without an ArtBox.", "Erneut als PDF/X ohne ArtBox exportieren."},
		messages: one("The page has both a TrimBox and an ArtBox; only one of them may define the trim size.", "Die Seite hat sowohl eine TrimBox als auch eine ArtBox; nur eine davon darf das Endformat festlegen."),
	},
	{
		id: "box.trim_missing", title: text{"TrimBox is missing", "TrimBox fehlt"},
		fix: text{"Export as PDF/X, which writes the trim size (TrimBox) into the file.", "Als PDF/X exportieren; dabei wird das Endformat (TrimBox) in die Datei geschrieben."},
		messages: map[string]text{
			"": {"The page does not define its trim size: it has neither a TrimBox nor an ArtBox.", "Die Seite legt kein Endformat fest: TrimBox und ArtBox fehlen."},
			"assumed": {
				"The page has no TrimBox; it is the ordered {width_mm} x {height_mm} mm plus {bleed_mm} mm bleed and was checked as such.",
				"Die Seite hat keine TrimBox; sie entspricht den bestellten {width_mm} x {height_mm} mm plus {bleed_mm} mm Beschnitt und wurde so geprüft.",
			},
		},
	},
	{
		id: "safety.content_near_trim", title: text{"Text is too close to the trim edge", "Text steht zu nah am Endformat"},
		fix:      text{"Move the text away from the trim edge; the cut may be off by about 1 mm.", "Text vom Rand des Endformats wegrücken; der Schnitt kann um etwa 1 mm abweichen."},
		messages: one("Text is only {value} mm from the trim edge; the minimum is {limit} mm.", "Text steht nur {value} mm vom Rand des Endformats entfernt; nötig sind mindestens {limit} mm."),
	},
	{
		id: "safety.object_near_trim", title: text{"Object is too close to the trim edge", "Objekt steht zu nah am Endformat"},
		fix:      text{"Move logos, pictures and frames away from the trim edge, or extend them into the bleed; the cut may be off by about 1 mm.", "Logos, Bilder und Rahmen vom Rand des Endformats wegrücken oder in den Beschnitt verlängern; der Schnitt kann um etwa 1 mm abweichen."},
		messages: one("An object is only {value} mm from the trim edge; the minimum is {limit} mm.", "Ein Objekt steht nur {value} mm vom Rand des Endformats entfernt; nötig sind mindestens {limit} mm."),
	},
	{
		id: "safety.text_cut", title: text{"Text is cut off", "Text wird abgeschnitten"},
		fix:      text{"Move the text inside the trim edge, unless it is meant to be cut.", "Text in das Endformat rücken, sofern er nicht absichtlich angeschnitten ist."},
		messages: one("Text crosses the trim edge and will be cut off.", "Text ragt über das Endformat hinaus und wird abgeschnitten."),
	},
	{
		id: "safety.frame_thin", title: text{"Frame at the trim edge is thin", "Rahmen am Endformat ist schmal"},
		fix:      text{"Make the frame wider, or leave it out; the cut may be off by about 1 mm, so a thin frame looks uneven.", "Rahmen breiter anlegen oder weglassen; der Schnitt kann um etwa 1 mm abweichen, sodass ein schmaler Rahmen ungleichmäßig wirkt."},
		messages: one("A frame is only {value} mm wide inside the trim edge at the {edges:edge}; the minimum is {limit} mm.", "Ein Rahmen ist innerhalb des Endformats nur {value} mm breit ({edges:edge}); nötig sind mindestens {limit} mm."),
	},

	{
		id: "font.courier", title: text{"Courier is used", "Courier wird verwendet"},
		fix:      text{"Check in InDesign (Type > Find/Replace Font) whether another font was intended.", "In InDesign (Schrift > Schriftart suchen/ersetzen) prüfen, ob eine andere Schrift gemeint war."},
		messages: one("The font {font} is used on {pages:pages}; software often substitutes Courier for a missing font.", "Die Schrift {font} wird auf {pages:pages} verwendet; Courier ersetzt oft eine fehlende Schrift."),
	},
	{
		id: "font.damaged", title: text{"Font program is damaged", "Schriftprogramm ist beschädigt"},
		fix:      text{"Install the font again and export again, or convert the text to outlines.", "Schrift neu installieren und erneut exportieren oder den Text in Pfade umwandeln."},
		messages: one("The program of the font {font} cannot be read; its text on {pages:pages} may print wrongly or not at all.", "Das Programm der Schrift {font} ist nicht lesbar; ihr Text auf {pages:pages} wird vielleicht falsch oder gar nicht gedruckt."),
	},
	{
		id: "font.declared_unused", title: text{"Unused font is not embedded", "Unbenutzte Schrift ist nicht eingebettet"},
		fix:      text{"No action is needed for print; exporting again removes unused fonts.", "Für den Druck keine Aktion nötig; ein erneuter Export entfernt unbenutzte Schriften."},
		messages: one("The font {font} ({type}) is declared but neither embedded nor used.", "Die Schrift {font} ({type}) ist angelegt, aber weder eingebettet noch verwendet."),
	},
	{
		id: "font.embedding_restricted", title: text{"Font forbids embedding", "Schrift verbietet das Einbetten"},
		fix:      text{"Obtain a licence that allows embedding, use another font, or convert the text to outlines.", "Lizenz zum Einbetten erwerben, andere Schrift verwenden oder den Text in Pfade umwandeln."},
		messages: one("The font {font}, used on {pages:pages}, forbids embedding without permission of its owner.", "Die Schrift {font}, verwendet auf {pages:pages}, verbietet das Einbetten ohne Erlaubnis des Eigentümers."),
	},
	{
		id: "font.glyph_missing", title: text{"Characters are missing from the font", "Zeichen fehlen in der Schrift"},
		fix:      text{"Select a font that has these characters, and export again.", "Schrift mit diesen Zeichen wählen und erneut exportieren."},
		messages: one("The font {font} lacks {glyphs:glyphs} that pages show (codes {codes}); a box or nothing is printed.", "Der Schrift {font} fehlen {glyphs:glyphs}, die Seiten zeigen (Codes {codes}); gedruckt wird ein Kästchen oder nichts."),
	},
	{
		id: "font.not_embedded", title: text{"Font is not embedded", "Schrift ist nicht eingebettet"},
		fix:      text{"Embed all fonts when exporting, or convert the text to outlines.", "Beim Export alle Schriften einbetten oder den Text in Pfade umwandeln."},
		messages: one("The font {font} ({type}) is used on {pages:pages} but not embedded; the printer would have to substitute it.", "Die Schrift {font} ({type}) wird auf {pages:pages} verwendet, ist aber nicht eingebettet; die Druckerei müsste sie ersetzen."),
	},
	{
		id: "font.not_subset", title: text{"Font is fully embedded", "Schrift ist vollständig eingebettet"},
		fix:      text{"Export with font subsets to reduce the file size.", "Schriften beim Export als Untergruppen einbetten, um die Datei zu verkleinern."},
		messages: one("The font {font} is embedded with all its characters, used or not.", "Die Schrift {font} ist mit allen Zeichen eingebettet, auch den unbenutzten."),
	},
	{
		id: "font.subset_of_subset", title: text{"Font subset was cut from a subset", "Untergruppe wurde aus einer Untergruppe gebildet"},
		fix:      text{"Export from the layout, instead of from a PDF.", "Aus dem Layout exportieren statt aus einer PDF-Datei."},
		messages: one("The font {font} is a subset of a subset, used on {pages:pages}; an edit of its text may lose characters.", "Die Schrift {font} ist eine Untergruppe einer Untergruppe, verwendet auf {pages:pages}; beim Bearbeiten können Zeichen verloren gehen."),
	},
	{
		id: "font.type3", title: text{"Type 3 font is used", "Type-3-Schrift wird verwendet"},
		fix:      text{"Replace the font with a TrueType or OpenType font if its text looks coarse.", "Schrift durch eine TrueType- oder OpenType-Schrift ersetzen, falls der Text grob wirkt."},
		messages: one("The Type 3 font {font} is used on {pages:pages}; its characters are drawings and may contain images.", "Die Type-3-Schrift {font} wird auf {pages:pages} verwendet; ihre Zeichen sind Zeichnungen und können Bilder enthalten."),
	},
	{
		id: "font.width_mismatch", title: text{"Widths of characters differ", "Zeichenbreiten weichen ab"},
		fix:      text{"Export again with current software; another printer may space the text differently.", "Mit aktueller Software erneut exportieren; ein anderer Drucker setzt den Text vielleicht anders."},
		messages: one("The widths of {glyphs:glyphs} of the font {font} (codes {codes}) differ from its program by up to {value}/1000 of the font size; the maximum is {limit}.", "Die Breiten von {glyphs:glyphs} der Schrift {font} (Codes {codes}) weichen um bis zu {value}/1000 der Schriftgröße von ihrem Programm ab; zulässig sind {limit}."),
	},

	{
		id: "text.invisible", title: text{"Invisible text", "Unsichtbarer Text"},
		fix:      text{"No action is needed if the text comes from text recognition (OCR) of a scan.", "Keine Aktion nötig, wenn der Text aus der Texterkennung (OCR) eines Scans stammt."},
		messages: one("The page contains text that is not printed, for example from text recognition (OCR).", "Die Seite enthält Text, der nicht gedruckt wird, zum Beispiel aus einer Texterkennung (OCR)."),
	},
	{
		id: "text.rgb_black", title: text{"Small black text in RGB", "Kleiner schwarzer Text in RGB"},
		fix: text{"Set small text in black only (K 100 %).", "Kleinen Text nur in Schwarz (K 100 %) anlegen."},
		messages: one("Black text of {value} pt in {paint:paint}{font:in_font} prints in several inks and may blur; text below {limit} pt{tolerance:tolerance_pt} should be K only.",
			"Schwarzer Text mit {value} pt in {paint:paint}{font:in_font} wird aus mehreren Druckfarben gedruckt und kann unscharf werden; Text unter {limit} pt{tolerance:tolerance_pt} sollte nur Schwarz enthalten."),
	},
	{
		id: "text.black_total", title: text{"Black text with much ink", "Schwarzer Text mit viel Farbe"},
		fix: text{"Set black text in black only (K 100 %).", "Schwarzen Text nur in Schwarz (K 100 %) anlegen."},
		messages: one("Black text ({paint:paint}){font:in_font} has {value} % of process inks; the maximum is {limit} %.",
			"Schwarzer Text ({paint:paint}){font:in_font} hat {value} % Prozessfarben; zulässig sind höchstens {limit} %."),
	},
	{
		id: "text.gray_small", title: text{"Small text in DeviceGray", "Kleiner Text in DeviceGray"},
		fix: text{"Set the text in the black of CMYK or as the separation Black, and let it overprint.", "Text im Schwarz von CMYK oder als Separation Black anlegen und überdrucken lassen."},
		messages: one("Text of {value} pt in DeviceGray ({paint:paint}){font:in_font} lies on other inks, and printers differ in how it overprints; use other black below {limit} pt{tolerance:tolerance_pt}.",
			"Text mit {value} pt in DeviceGray ({paint:paint}){font:in_font} liegt auf anderen Farben und überdruckt nicht auf jedem Gerät gleich; unter {limit} pt{tolerance:tolerance_pt} anderes Schwarz verwenden."),
	},
	{
		id: "text.rich_black", title: text{"Small text in rich black", "Kleiner Text in Tiefschwarz"},
		fix: text{"Set small text in black only (K 100 %).", "Kleinen Text nur in Schwarz (K 100 %) anlegen."},
		messages: one("Text of {value} pt in rich black ({paint:paint}){font:in_font} may blur; text below {limit} pt{tolerance:tolerance_pt} should be black only.",
			"Text mit {value} pt in Tiefschwarz ({paint:paint}){font:in_font} kann unscharf werden; Text unter {limit} pt{tolerance:tolerance_pt} sollte nur Schwarz enthalten."),
	},
	{
		id: "text.small", title: text{"Text is too small", "Text ist zu klein"}, fix: larger,
		messages: one("Text of {value} pt in {paint:paint}{font:in_font} is hard to read; the minimum is {limit} pt{tolerance:tolerance_pt}.",
			"Text mit {value} pt in {paint:paint}{font:in_font} ist schwer lesbar; nötig sind mindestens {limit} pt{tolerance:tolerance_pt}."),
	},
	{
		id: "text.small_multi_ink", title: text{"Small text in several inks", "Kleiner Text in mehreren Druckfarben"}, fix: larger,
		messages: one("Text of {value} pt in several inks ({paint:paint}){font:in_font} blurs if the inks misregister; the minimum is {limit} pt{tolerance:tolerance_pt}.",
			"Text mit {value} pt in mehreren Druckfarben ({paint:paint}){font:in_font} wird bei Passerdifferenzen unscharf; nötig sind mindestens {limit} pt{tolerance:tolerance_pt}."),
	},
	{
		id: "text.small_white", title: text{"Small white text", "Kleiner weißer Text"},
		fix:      text{"Set the text larger or bolder.", "Text größer oder fetter setzen."},
		messages: one("White text of {value} pt{font:in_font} may fill in; the minimum is {limit} pt{tolerance:tolerance_pt}.", "Weißer Text mit {value} pt{font:in_font} kann zulaufen; nötig sind mindestens {limit} pt{tolerance:tolerance_pt}."),
	},
}

var (
	bleed = text{
		"Extend backgrounds and images beyond the trim edge and export with the document bleed on every side (InDesign: Marks and Bleeds > Use Document Bleed Settings).",
		"Flächen und Bilder über das Endformat hinausziehen und auf allen Seiten mit dem Beschnitt des Dokuments exportieren (InDesign: Marken und Anschnitt > Anschnittseinstellungen des Dokuments verwenden).",
	}
	larger = text{"Set the text larger or in a single ink.", "Text größer oder in nur einer Druckfarbe setzen."}
)
