// SPDX-License-Identifier: Apache-2.0

package texts

// paints holds the texts of the rules about images, colours, inks and lines.
var paints = []rule{
	{
		id: "image.16bit", title: text{"Image has 16 bits per channel", "Bild hat 16 Bit pro Kanal"},
		fix:      text{"Convert the image to 8 bits per channel; print shows no difference.", "Bild auf 8 Bit pro Kanal umwandeln; im Druck ist kein Unterschied sichtbar."},
		messages: one("{image:Image} of {width} x {height} pixels has 16 bits per channel; print needs 8.", "{image:Image} mit {width} x {height} Pixeln hat 16 Bit pro Kanal; der Druck braucht 8."),
	},
	{
		id: "image.alternate", title: text{"Image has alternates", "Bild hat Alternativen"},
		fix:      text{"Export again; current software writes no alternate images.", "Erneut exportieren; aktuelle Software schreibt keine alternativen Bilder."},
		messages: one("An image has alternate versions; the printer decides which one is printed.", "Ein Bild hat alternative Fassungen; welche gedruckt wird, hängt von der Ausgabe ab."),
	},
	{
		id: "image.bitmap_ppi_below_target", title: text{"1-bit image resolution is below the target", "Auflösung des 1-Bit-Bildes liegt unter dem Zielwert"}, fix: morePixels,
		messages: one("{image:Image} of {width} x {height} pixels is placed at {value} ppi; the target is {limit} ppi{tolerance:tolerance_ppi}.",
			"{image:Image} mit {width} x {height} Pixeln hat {value} ppi; der Zielwert ist {limit} ppi{tolerance:tolerance_ppi}."),
	},
	{
		id: "image.bitmap_ppi_low", title: text{"1-bit image resolution is too low", "Auflösung des 1-Bit-Bildes ist zu niedrig"}, fix: morePixels,
		messages: resolution,
	},
	{
		id: "image.interpolate", title: text{"Image requests interpolation", "Bild verlangt Interpolation"}, fix: newImage,
		messages: one("{image:Image} of {width} x {height} pixels requests interpolation, which each printer renders differently.", "{image:Image} mit {width} x {height} Pixeln verlangt Interpolation, die jede Ausgabe anders umsetzt."),
	},
	{
		id: "image.jbig2", title: text{"Image is compressed with JBIG2", "Bild ist mit JBIG2 komprimiert"}, fix: newImage,
		messages: one("{image:Image} of {width} x {height} pixels is compressed with JBIG2, which may replace similar characters.", "{image:Image} mit {width} x {height} Pixeln ist mit JBIG2 komprimiert; dabei können ähnliche Zeichen vertauscht werden."),
	},
	{
		id: "image.jpeg_quality", title: text{"JPEG quality is low", "JPEG-Qualität ist niedrig"},
		fix:      text{"Place the original image again and export with maximum quality.", "Originalbild neu platzieren und mit maximaler Qualität exportieren."},
		messages: one("{image:Image} of {width} x {height} pixels has an estimated JPEG quality of {value} of 100; the minimum is {limit}.", "{image:Image} mit {width} x {height} Pixeln hat eine geschätzte JPEG-Qualität von {value} (Höchstwert 100); nötig ist mindestens {limit}."),
	},
	{
		id: "image.jpx", title: text{"Image is compressed with JPEG 2000", "Bild ist mit JPEG 2000 komprimiert"}, fix: newImage,
		messages: one("{image:Image} of {width} x {height} pixels is compressed with JPEG 2000, which some printers cannot read.", "{image:Image} mit {width} x {height} Pixeln ist mit JPEG 2000 komprimiert, was manche Druckereien nicht verarbeiten können."),
	},
	{
		id: "image.opi", title: text{"Image is an OPI placeholder", "Bild ist ein OPI-Platzhalter"},
		fix:      text{"Export with the full images instead of OPI placeholders.", "Mit den vollständigen Bildern statt mit OPI-Platzhaltern exportieren."},
		messages: one("An image is only a placeholder (OPI) for a file that is not included.", "Ein Bild ist nur ein Platzhalter (OPI) für eine Datei, die nicht enthalten ist."),
	},
	{
		id: "image.ppi_below_target", title: text{"Image resolution is below the target", "Bildauflösung liegt unter dem Zielwert"}, fix: morePixels,
		messages: one("{image:Image} of {width} x {height} pixels is placed at {value} ppi; the target is {limit} ppi{tolerance:tolerance_ppi}.",
			"{image:Image} mit {width} x {height} Pixeln hat {value} ppi; der Zielwert ist {limit} ppi{tolerance:tolerance_ppi}."),
	},
	{
		id: "image.ppi_high", title: text{"Image resolution is higher than needed", "Bildauflösung ist höher als nötig"},
		fix: text{"Downsample images when exporting; the file gets smaller without visible loss.", "Bilder beim Export herunterrechnen; die Datei wird ohne sichtbaren Verlust kleiner."},
		messages: one("{image:Image} of {width} x {height} pixels is placed at {value} ppi; the maximum is {limit} ppi{tolerance:tolerance_ppi}.",
			"{image:Image} mit {width} x {height} Pixeln hat {value} ppi; sinnvoll sind höchstens {limit} ppi{tolerance:tolerance_ppi}."),
	},
	{
		id: "image.page_ppi_low", title: text{"Page is an image of low resolution", "Seite ist ein Bild mit zu niedriger Auflösung"}, fix: morePixels,
		messages: pageResolution,
	},
	{
		id: "image.page_ppi_below_target", title: text{"Page is an image below the target resolution", "Seite ist ein Bild unter der Zielauflösung"}, fix: morePixels,
		messages: pageResolution,
	},
	{
		id: "image.ppi_low", title: text{"Image resolution is too low", "Bildauflösung ist zu niedrig"}, fix: morePixels,
		messages: resolution,
	},

	{
		id: "color.calibrated", title: text{"Calibrated colour is used", "Kalibrierte Farbe wird verwendet"}, fix: convert,
		messages: one("Calibrated colour ({space}) is used on {pages:pages}; it must be converted for print.", "Kalibrierte Farbe ({space}) wird auf {pages:pages} verwendet; sie muss für den Druck umgewandelt werden."),
	},
	{
		id: "color.default_remap", title: text{"Device colours are redefined", "Gerätefarben sind umdefiniert"},
		fix:      text{"Export again as PDF/X with the output intent that the printer names.", "Erneut als PDF/X mit dem Output-Intent exportieren, den die Druckerei nennt."},
		messages: one("Device colours are redefined ({space}); printers interpret this differently.", "Gerätefarben sind umdefiniert ({space}); Druckereien werten das unterschiedlich aus."),
	},
	{
		id: "color.device_n", title: text{"Colour mixes several inks (DeviceN)", "Farbe mischt mehrere Druckfarben (DeviceN)"},
		fix:      text{"No action is needed if all inks were ordered.", "Keine Aktion nötig, wenn alle Druckfarben bestellt wurden."},
		messages: one("Colours that mix named inks ({space}) are used on {pages:pages}.", "Farben, die benannte Druckfarben mischen ({space}), werden auf {pages:pages} verwendet."),
	},
	{
		id: "color.icc_cmyk", title: text{"CMYK colour has its own profile", "CMYK-Farbe hat ein eigenes Profil"},
		fix:      text{"Export CMYK colours without profiles so that their values are preserved.", "CMYK-Farben ohne Profil exportieren, damit ihre Werte erhalten bleiben."},
		messages: one("CMYK colour with its own profile ({space}) is used on {pages:pages}; a conversion may turn pure black into four inks.", "CMYK-Farbe mit eigenem Profil ({space}) wird auf {pages:pages} verwendet; eine Umwandlung kann reines Schwarz vierfarbig machen."),
	},
	{
		id: "color.icc_invalid", title: text{"Colour profile is invalid", "Farbprofil ist ungültig"},
		fix: text{"Remove or replace the profile of the image or object and export again.", "Profil des Bildes oder Objekts entfernen oder ersetzen und erneut exportieren."},
		messages: map[string]text{
			"damaged":    {"An ICC profile is damaged: {fault:icc_fault}.", "Ein ICC-Profil ist beschädigt: {fault:icc_fault}."},
			"components": {"An ICC profile is for {space}, but the file declares {components:channels}.", "Ein ICC-Profil ist für {space}, die Datei gibt jedoch {components:channels} an."},
		},
	},
	{
		id: "color.lab", title: text{"Lab colour is used", "Lab-Farbe wird verwendet"}, fix: convert,
		messages: one("Lab colour is used on {pages:pages}; it is converted for print.", "Lab-Farbe wird auf {pages:pages} verwendet; sie wird für den Druck umgewandelt."),
	},
	{
		id: "color.not_gray", title: text{"Colour in a black-only document", "Farbe in einem einfarbig schwarzen Dokument"},
		fix:      text{"Convert all colours to greyscale, or order colour printing.", "Alle Farben in Graustufen umwandeln oder Farbdruck bestellen."},
		messages: one("{mark:Mark} in {paint:paint} is not black or grey.", "{mark:Mark} in {paint:paint} ist nicht schwarz oder grau."),
	},
	{
		id: "color.device_rgb", title: text{"RGB without a profile is used", "RGB ohne Profil wird verwendet"}, fix: convert,
		messages: one("RGB without a profile ({space}) is used on {pages:pages}; its colours are not defined.", "RGB ohne Profil ({space}) wird auf {pages:pages} verwendet; seine Farben sind nicht festgelegt."),
	},
	{
		id: "color.gray_managed", title: text{"Colour-managed grey is used", "Farbverwaltetes Grau wird verwendet"}, fix: convert,
		messages: one("Colour-managed grey ({space}) is used on {pages:pages}; it may be printed with several inks.", "Farbverwaltetes Grau ({space}) wird auf {pages:pages} verwendet; es kann mit mehreren Druckfarben gedruckt werden."),
	},
	{
		id: "color.managed_graphics", title: text{"Colour-managed colour outside of images", "Farbverwaltete Farbe außerhalb von Bildern"}, fix: convert,
		messages: one("{mark:Mark} in {paint:paint} is colour-managed; only images may be.", "{mark:Mark} in {paint:paint} ist farbverwaltet; das dürfen nur Bilder sein."),
	},
	{
		id: "color.rgb", title: text{"RGB colour is used", "RGB-Farbe wird verwendet"}, fix: convert,
		messages: one("RGB colour ({space}) is used on {pages:pages}; its appearance changes when it is converted to CMYK.", "RGB-Farbe ({space}) wird auf {pages:pages} verwendet; bei der Umwandlung in CMYK ändert sie ihr Aussehen."),
	},

	{
		id: "ink.average", title: text{"Mean ink coverage of CMYK is too high", "Mittlerer Farbauftrag aus CMYK ist zu hoch"}, fix: lessInk,
		messages: one("Cyan, magenta, yellow and black cover a square of 15 mm with {value} % on average; the maximum is {limit} %.",
			"Cyan, Magenta, Gelb und Schwarz bedecken ein Quadrat von 15 mm im Mittel mit {value} %; zulässig sind höchstens {limit} %."),
	},
	{
		id: "ink.average_all", title: text{"Mean ink coverage is too high", "Mittlerer Farbauftrag ist zu hoch"}, fix: lessInk,
		messages: one("The inks cover a square of 15 mm with {value} % on average; the maximum is {limit} %.",
			"Die Druckfarben bedecken ein Quadrat von 15 mm im Mittel mit {value} %; zulässig sind höchstens {limit} %."),
	},
	{
		id: "ink.registration_all", title: text{"Registration colour is used on the page", "Passerfarbe wird auf der Seite verwendet"},
		fix:      text{"Use black instead; the registration colour is only for printer's marks outside the page.", "Stattdessen Schwarz verwenden; die Passerfarbe ist nur für Druckmarken außerhalb der Seite bestimmt."},
		messages: one("{mark:Mark} in the registration colour, which prints on every plate, is on the page.", "{mark:Mark} in der Passerfarbe, die auf allen Platten druckt, liegt auf der Seite."),
	},
	{
		id: "ink.spot_ambiguous", title: text{"Spot colour has several definitions", "Sonderfarbe ist mehrfach definiert"},
		fix:      text{"Merge the swatches of the same name in the layout and in placed files, and export again.", "Gleichnamige Farbfelder im Layout und in platzierten Dateien zusammenführen und erneut exportieren."},
		messages: one("The spot colour {ink} has {definitions} different definitions; a proof shows only one of them.", "Die Sonderfarbe {ink} hat {definitions} verschiedene Definitionen; ein Proof zeigt nur eine davon."),
	},
	{
		id: "ink.spot_count", title: text{"Too many spot colours", "Zu viele Sonderfarben"}, fix: process,
		messages: one("The document uses {value:spots}: {inks}; the maximum is {limit}.", "Das Dokument verwendet {value:spots}: {inks}; zulässig sind höchstens {limit}."),
	},
	{
		id: "ink.spot_case", title: text{"Spot colours differ only in case", "Sonderfarben unterscheiden sich nur in der Schreibweise"},
		fix:      text{"Give each ink one name, and rename or merge the swatches in the layout and in placed files.", "Jeder Druckfarbe einen einzigen Namen geben und Farbfelder im Layout und in platzierten Dateien umbenennen oder zusammenführen."},
		messages: one("The spot colours {first} and {ink} differ only in capital letters or in the form of their characters.", "Die Sonderfarben {first} und {ink} unterscheiden sich nur in Groß- und Kleinschreibung oder in der Form der Zeichen."),
	},
	{
		id: "ink.spot_same", title: text{"Spot colours have one definition", "Sonderfarben haben dieselbe Definition"},
		fix:      text{"Merge the swatches if they are one ink, or give each its own alternate colour.", "Farbfelder zusammenführen, wenn sie dieselbe Druckfarbe sind, oder jedem eine eigene Ersatzfarbe geben."},
		messages: one("The spot colours {first} and {ink} have the same alternate colour and tint transform.", "Die Sonderfarben {first} und {ink} haben dieselbe Ersatzfarbe und Farbtonumrechnung."),
	},
	{
		id: "ink.spot_name", title: text{"Spot colour name is ambiguous or invalid", "Sonderfarbenname ist mehrdeutig oder ungültig"},
		fix: text{"Give each ink one name, and rename or merge the swatches in the layout and in placed files.", "Jeder Druckfarbe einen einzigen Namen geben und Farbfelder im Layout und in platzierten Dateien umbenennen oder zusammenführen."},
		messages: map[string]text{
			"empty":      {"The name {ink:quoted} of a spot colour is empty.", "Der Name {ink:quoted} einer Sonderfarbe ist leer."},
			"unreadable": {"The name of the spot colour {ink:quoted} contains unreadable characters.", "Der Name der Sonderfarbe {ink:quoted} enthält nicht lesbare Zeichen."},
			"edges":      {"The name of the spot colour {ink:quoted} begins or ends with a space.", "Der Name der Sonderfarbe {ink:quoted} beginnt oder endet mit einem Leerzeichen."},
			"spaces":     {"The name of the spot colour {ink:quoted} contains consecutive spaces.", "Der Name der Sonderfarbe {ink:quoted} enthält mehrere Leerzeichen hintereinander."},
			"duplicate":  {"The spot colours {first} and {ink} appear to be the same ink; they would produce two plates.", "Die Sonderfarben {first} und {ink} sind offenbar dieselbe Druckfarbe; es würden zwei Platten entstehen."},
		},
	},
	{
		id: "ink.spot_used", title: text{"Spot colour is used", "Sonderfarbe wird verwendet"}, fix: process,
		messages: one("The spot colour {ink} is used on {pages:pages}; it needs its own plate.", "Die Sonderfarbe {ink} wird auf {pages:pages} verwendet; sie braucht eine eigene Platte."),
	},
	{
		id: "ink.tac", title: text{"Total ink coverage is too high", "Gesamtfarbauftrag ist zu hoch"}, fix: lessInk,
		messages: one("The total ink coverage reaches {value} %; the maximum is {limit} %, exceeded on {area_cm2} cm² of the page.",
			"Der Gesamtfarbauftrag erreicht {value} %; zulässig sind höchstens {limit} %, überschritten auf {area_cm2} cm² der Seite."),
	},

	{
		id: "overprint.black_line_knockout", title: text{"Thin black line does not overprint", "Dünne schwarze Linie überdruckt nicht"}, fix: overprintBlack,
		messages: map[string]text{
			"": {"A black line of {value} pt knocks out the background; black lines up to {limit} pt should overprint.", "Eine schwarze Linie mit {value} pt spart den Hintergrund aus; schwarze Linien bis {limit} pt sollten überdrucken."},
			"mode": {
				"A black line of {value} pt is set to overprint, but overprint mode 0 knocks out the background; black lines up to {limit} pt need mode 1.",
				"Eine schwarze Linie mit {value} pt ist auf Überdrucken gesetzt, spart aber mit dem Überdruckmodus 0 den Hintergrund aus; schwarze Linien bis {limit} pt brauchen den Modus 1.",
			},
		},
	},
	{
		id: "overprint.black_text_knockout", title: text{"Small black text does not overprint", "Kleiner schwarzer Text überdruckt nicht"}, fix: overprintBlack,
		messages: map[string]text{
			"": {"Black text of {value} pt knocks out the background; black text up to {limit} pt should overprint.", "Schwarzer Text mit {value} pt spart den Hintergrund aus; schwarzer Text bis {limit} pt sollte überdrucken."},
			"mode": {
				"Black text of {value} pt is set to overprint, but overprint mode 0 knocks out the background; black text up to {limit} pt needs mode 1.",
				"Schwarzer Text mit {value} pt ist auf Überdrucken gesetzt, spart aber mit dem Überdruckmodus 0 den Hintergrund aus; schwarzer Text bis {limit} pt braucht den Modus 1.",
			},
		},
	},
	{
		id: "overprint.gray", title: text{"Grey overprints", "Grau überdruckt"},
		fix:      text{"Switch off overprint for grey objects, or use a tint of black in CMYK.", "Überdrucken bei grauen Objekten ausschalten oder eine Schwarz-Tonfläche in CMYK verwenden."},
		messages: one("{mark:Mark} in grey ({paint:paint}) is set to overprint; printers render this differently.", "{mark:Mark} in Grau ({paint:paint}) ist auf Überdrucken gesetzt; das Ergebnis hängt von der Ausgabe ab."),
	},
	{
		id: "overprint.technical_knockout", title: text{"Technical ink knocks out the artwork", "Technische Farbe spart das Motiv aus"},
		fix:      text{"Set objects in white, varnish or cutting inks to overprint (Window > Output > Attributes).", "Objekte in Weiß, Lack oder Stanzfarben auf Überdrucken setzen (Fenster > Ausgabe > Attribute)."},
		messages: one("The ink {ink} ({role:role}) removes the artwork below it on {area_cm2} cm²; it should overprint.", "Die Farbe {ink} ({role:role}) spart das Motiv darunter auf {area_cm2} cm² aus; sie sollte überdrucken."),
	},
	{
		id: "overprint.technical_removed", title: text{"Artwork knocks out a technical ink", "Motiv spart eine technische Farbe aus"},
		fix: text{"Move the objects in cutting, white or varnish inks above the artwork and set them to overprint.", "Objekte in Stanzfarben, Weiß oder Lack über das Motiv legen und auf Überdrucken setzen."},
		messages: one("Artwork above the ink {ink} ({role:role}) removes {area_cm2} cm² of it; the separation of the ink has gaps.",
			"Motiv über der Farbe {ink} ({role:role}) spart {area_cm2} cm² von ihr aus; der Auszug der Farbe hat Lücken."),
	},
	{
		id: "overprint.white_text", title: text{"White text overprints and disappears", "Weißer Text überdruckt und verschwindet"},
		fix:      text{"Switch off overprint for white text (Window > Output > Attributes).", "Überdrucken bei weißem Text ausschalten (Fenster > Ausgabe > Attribute)."},
		messages: one("{mark:Mark} in white is set to overprint and disappears in print.", "{mark:Mark} in Weiß ist auf Überdrucken gesetzt und verschwindet im Druck."),
	},
	{
		id: "overprint.white", title: text{"White object overprints and disappears", "Weißes Objekt überdruckt und verschwindet"},
		fix:      text{"Switch off overprint for white objects (Window > Output > Attributes).", "Überdrucken bei weißen Objekten ausschalten (Fenster > Ausgabe > Attribute)."},
		messages: one("{mark:Mark} in white is set to overprint and disappears in print.", "{mark:Mark} in Weiß ist auf Überdrucken gesetzt und verschwindet im Druck."),
	},

	{
		id: "line.hairline", title: text{"Hairline", "Haarlinie"}, fix: thicker,
		messages: thinLine,
	},
	{
		id: "line.gray_thin", title: text{"Thin line in DeviceGray", "Dünne Linie in DeviceGray"},
		fix: text{"Use the black of CMYK or the separation Black, and let the line overprint.", "Schwarz von CMYK oder die Separation Black verwenden und die Linie überdrucken lassen."},
		messages: one("A line of {value} pt in DeviceGray ({paint:paint}) lies on other inks, and printers differ in how it overprints; use other black below {limit} pt.",
			"Eine Linie mit {value} pt in DeviceGray ({paint:paint}) liegt auf anderen Farben und überdruckt nicht auf jedem Gerät gleich; unter {limit} pt anderes Schwarz verwenden."),
	},
	{
		id: "line.white_thin", title: text{"Thin white line", "Dünne weiße Linie"}, fix: thicker,
		messages: one("A white line is only {value} pt wide and may fill in; the minimum is {limit} pt.", "Eine weiße Linie ist nur {value} pt stark und kann zulaufen; nötig sind mindestens {limit} pt."),
	},
	{
		id: "line.multi_ink_thin", title: text{"Thin line in several inks or in white", "Dünne Linie in mehreren Druckfarben oder in Weiß"}, fix: thicker,
		messages: map[string]text{
			"inks": {
				"A line in several inks ({paint:paint}) is only {value} pt wide and blurs if the inks misregister; the minimum is {limit} pt.",
				"Eine Linie in mehreren Druckfarben ({paint:paint}) ist nur {value} pt stark und wird bei Passerdifferenzen unscharf; nötig sind mindestens {limit} pt.",
			},
			"white": {
				"A white line is only {value} pt wide and may fill in; the minimum is {limit} pt.",
				"Eine weiße Linie ist nur {value} pt stark und kann zulaufen; nötig sind mindestens {limit} pt.",
			},
		},
	},
	{
		id: "line.thin", title: text{"Line is thin", "Linie ist dünn"}, fix: thicker,
		messages: thinLine,
	},
	{
		id: "line.thin_fill", title: text{"Filled shape is as thin as a hairline", "Gefüllte Form ist so dünn wie eine Haarlinie"},
		fix:      text{"Make the shape at least 0.25 pt (0.09 mm) thick, and thicker in several inks.", "Form mindestens 0,25 pt (0,09 mm) stark anlegen, in mehreren Druckfarben stärker."},
		messages: one("A filled shape in {paint:paint} is only {value} pt thick and may break up in print; the minimum is {limit} pt.", "Eine gefüllte Form in {paint:paint} ist nur {value} pt stark und kann im Druck wegbrechen; nötig sind mindestens {limit} pt."),
	},

	{
		id: "transparency.blend_space", title: text{"Transparency group is not blended in CMYK", "Transparenzgruppe wird nicht in CMYK verrechnet"},
		fix:      text{"Set the transparency blend space to CMYK (InDesign: Edit > Transparency Blend Space) and export again.", "Transparenzfüllraum auf CMYK setzen (InDesign: Bearbeiten > Transparenzfüllraum) und erneut exportieren."},
		messages: one("A transparency group has the colour space {space} instead of DeviceCMYK.", "Eine Transparenzgruppe hat den Farbraum {space} statt DeviceCMYK."),
	},
	{
		id: "transparency.blend_space_rgb", title: text{"Transparency is blended in RGB", "Transparenz wird in RGB verrechnet"},
		fix:      text{"Set the transparency blend space to CMYK (InDesign: Edit > Transparency Blend Space) and export again.", "Transparenzfüllraum auf CMYK setzen (InDesign: Bearbeiten > Transparenzfüllraum) und erneut exportieren."},
		messages: one("Transparency on the page is blended in {space}; colours may change where objects overlap.", "Transparenz auf der Seite wird in {space} verrechnet; wo sich Objekte überlagern, können sich Farben ändern."),
	},
	{
		id: "transparency.used", title: text{"Transparency is used", "Transparenz wird verwendet"},
		fix:      text{"No action is needed for PDF/X-4; for PDF/X-1a, flatten transparency when exporting.", "Für PDF/X-4 keine Aktion nötig; für PDF/X-1a Transparenz beim Export reduzieren."},
		messages: one("The document uses transparency: {kinds}.", "Das Dokument verwendet Transparenz: {kinds}."),
	},
}

var (
	lessInk        = text{"Convert images with the ICC profile that the printer names, and reduce cyan, magenta and yellow in dark colours.", "Bilder mit dem ICC-Profil umwandeln, das die Druckerei nennt, und in dunklen Farben Cyan, Magenta und Gelb reduzieren."}
	pageResolution = one("The page is one image of {width} x {height} pixels at {value} ppi; such pages need {limit} ppi{tolerance:tolerance_ppi}.",
		"Die Seite ist ein einziges Bild mit {width} x {height} Pixeln und {value} ppi; solche Seiten brauchen {limit} ppi{tolerance:tolerance_ppi}.")
	morePixels     = text{"Place the image smaller or replace it with one that has more pixels; upsampling does not improve it.", "Bild kleiner platzieren oder durch eines mit mehr Pixeln ersetzen; Hochrechnen verbessert es nicht."}
	newImage       = text{"Save the image as TIFF or JPEG, place it again and export again.", "Bild als TIFF oder JPEG speichern, neu platzieren und erneut exportieren."}
	convert        = text{"Convert to CMYK with the ICC profile that the printer names and check the result, or let the printer convert.", "Mit dem ICC-Profil, das die Druckerei nennt, in CMYK umwandeln und das Ergebnis prüfen, oder die Druckerei umwandeln lassen."}
	process        = text{"Convert spot colours that are not printed as such to process colours (InDesign: Ink Manager), or order them.", "Sonderfarben, die nicht als solche gedruckt werden, in Prozessfarben umwandeln (InDesign: Druckfarben-Manager) oder bestellen."}
	overprintBlack = text{"Set black to overprint: use the swatch [Black] or the Overprint attribute, and export again.", "Schwarz überdrucken lassen: Farbfeld [Schwarz] oder das Attribut Überdrucken verwenden und erneut exportieren."}
	thicker        = text{"Make the line at least 0.25 pt (0.09 mm) wide, and wider in several inks or in white.", "Linie mindestens 0,25 pt (0,09 mm) stark anlegen, in mehreren Druckfarben oder in Weiß stärker."}
	resolution     = one("{image:Image} of {width} x {height} pixels is placed at {value} ppi; the minimum is {limit} ppi{tolerance:tolerance_ppi}.",
		"{image:Image} mit {width} x {height} Pixeln hat {value} ppi; nötig sind mindestens {limit} ppi{tolerance:tolerance_ppi}.")
	thinLine = one("A line in {paint:paint} is only {value} pt wide and may break up in print; the minimum is {limit} pt.",
		"Eine Linie in {paint:paint} ist nur {value} pt stark und kann im Druck wegbrechen; nötig sind mindestens {limit} pt.")
)
