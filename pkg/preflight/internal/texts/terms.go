// SPDX-License-Identifier: Apache-2.0

package texts

import "sync"

// group holds the forms of a parameter. For a number they are the plural forms
// "one" and "other". For a string they are its tokens; "" is the form of a missing
// or empty string, and "*" that of any other value.
type group map[string]text

// groups holds the groups that texts name, as in {edges:edge}.
var groups = sync.OnceValue(func() map[string]group {
	return map[string]group{
		// Plurals.
		"pages":        {"one": {"{n} page", "{n} Seite"}, "other": {"{n} pages", "{n} Seiten"}},
		"glyphs":       {"one": {"{n} character", "{n} Zeichen"}, "other": {"{n} characters", "{n} Zeichen"}},
		"layers":       {"one": {"{n} layer", "{n} Ebene"}, "other": {"{n} layers", "{n} Ebenen"}},
		"spots":        {"one": {"{n} spot colour", "{n} Sonderfarbe"}, "other": {"{n} spot colours", "{n} Sonderfarben"}},
		"fields":       {"one": {"{n} form field", "{n} Formularfeld"}, "other": {"{n} form fields", "{n} Formularfelder"}},
		"channels":     {"one": {"{n} component", "{n} Komponente"}, "other": {"{n} components", "{n} Komponenten"}},
		"bytes":        {"one": {"{n} byte", "{n} Byte"}, "other": {"{n} bytes", "{n} Byte"}},
		"errors":       {"one": {"{n} error", "{n} Fehler"}, "other": {"{n} errors", "{n} Fehler"}},
		"warnings":     {"one": {"{n} warning", "{n} Warnung"}, "other": {"{n} warnings", "{n} Warnungen"}},
		"remarks":      {"one": {"{n} remark", "{n} Hinweis"}, "other": {"{n} remarks", "{n} Hinweise"}},
		"rules":        {"one": {"{n} rule", "{n} Regel"}, "other": {"{n} rules", "{n} Regeln"}},
		"copies":       {"one": {"{n} copy", "{n} Exemplar"}, "other": {"{n} copies", "{n} Exemplare"}},
		"inks":         {"one": {"{n} process ink", "{n} Prozessfarbe"}, "other": {"{n} process inks", "{n} Prozessfarben"}},
		"openEnds":     {"one": {"{n} open end", "{n} offenes Ende"}, "other": {"{n} open ends", "{n} offene Enden"}},
		"findings":     {"one": {"{n} finding", "{n} Befund"}, "other": {"{n} findings", "{n} Befunde"}},
		"times":        {"one": {"{n} time", "{n}-mal"}, "other": {"{n} times", "{n}-mal"}},
		"moreFindings": {"one": {"{n} more finding is not listed.", "{n} weiterer Befund ist nicht aufgeführt."}, "other": {"{n} more findings are not listed.", "{n} weitere Befunde sind nicht aufgeführt."}},
		"moreFonts":    {"one": {"{n} more font is not listed.", "{n} weitere Schrift ist nicht aufgeführt."}, "other": {"{n} more fonts are not listed.", "{n} weitere Schriften sind nicht aufgeführt."}},
		"moreImages":   {"one": {"{n} more image is not listed.", "{n} weiteres Bild ist nicht aufgeführt."}, "other": {"{n} more images are not listed.", "{n} weitere Bilder sind nicht aufgeführt."}},
		"morePages":    {"one": {"{n} more page is not drawn.", "{n} weitere Seite ist nicht gezeichnet."}, "other": {"{n} more pages are not drawn.", "{n} weitere Seiten sind nicht gezeichnet."}},
		"moreNames":    {"one": {"{n} more", "{n} weitere"}, "other": {"{n} more", "{n} weitere"}},

		// Terms.
		"verdict":     {"pass": {"PASS", "BESTANDEN"}, "warn": {"WARN", "WARNUNG"}, "fail": {"FAIL", "FEHLER"}},
		"severity":    {"error": {"error", "Fehler"}, "warning": {"warning", "Warnung"}, "info": {"info", "Hinweis"}},
		"edge":        {"top": {"top", "oben"}, "right": {"right", "rechts"}, "bottom": {"bottom", "unten"}, "left": {"left", "links"}},
		"orientation": {"portrait": {"portrait", "Hochformat"}, "landscape": {"landscape", "Querformat"}},
		"area":        {"trim": {"trim area (TrimBox)", "des Endformats (TrimBox)"}, "art": {"trim area (ArtBox)", "des Endformats (ArtBox)"}, "bleed": {"bleed (BleedBox)", "des Beschnitts (BleedBox)"}},
		"date":        {"created": {"creation date", "Erstellungsdatum"}, "modified": {"modification date", "Änderungsdatum"}},
		"ink":         {"cyan": {"cyan", "Cyan"}, "magenta": {"magenta", "Magenta"}, "yellow": {"yellow", "Gelb"}, "black": {"black", "Schwarz"}},
		"inkKind":     {"process": {"process", "Prozessfarbe"}, "spot": {"spot", "Sonderfarbe"}, "registration": {"registration", "Passerfarbe"}},
		"role": {
			"cut": {"cut", "Schneiden"}, "crease": {"crease", "Rillen"}, "perforate": {"perforate", "Perforieren"}, "drill": {"drill", "Bohren"},
			"glue": {"glue", "Kleben"}, "white": {"white", "Weiß"}, "varnish": {"varnish", "Lack"}, "foil": {"foil", "Folie"}, "emboss": {"emboss", "Prägen"},
			"braille": {"braille", "Blindenschrift"}, "legend": {"legend", "Legende"}, "technical": {"technical", "technisch"},
		},
		"halftone": {"type": {"a type other than 1 and 5", "einem anderen Typ als 1 und 5"}, "name": {"a name", "einem Namen"}, "phase": {"a phase", "einer Phase"}},
		"binding": {
			"SaddleStitch": {"saddle stitch", "Rückendrahtheftung"}, "SoftCover": {"soft cover", "Softcover"}, "HardCover": {"hard cover", "Hardcover"},
			"WireComb": {"wire comb", "Drahtkammbindung"}, "PlasticComb": {"plastic comb", "Plastikkammbindung"}, "CoilBinding": {"coil", "Spiralbindung"}, "LooseBinding": {"loose leaves", "lose Blätter"},
		},
		"surface": {"coated": {"coated", "gestrichen"}, "uncoated": {"uncoated", "ungestrichen"}},
		"varnish": {"none": {"no varnish", "kein Lack"}, "full": {"varnish on all of it", "Lack vollflächig"}, "spot": {"spot varnish", "Spotlack"}},
		"part":    {"cover": {"cover", "Umschlag"}, "body": {"body", "Inhalt"}},
		"yesNo":   {"yes": {"yes", "ja"}, "no": {"no", "nein"}},
		// Image and Mark begin a sentence.
		"Image": {"image": {"An image", "Ein Bild"}, "bitmap": {"A 1-bit image", "Ein 1-Bit-Bild"}},
		"Mark": {
			"line": {"A line", "Eine Linie"}, "area": {"An area", "Eine Fläche"}, "text": {"Text", "Text"}, "image": {"An image", "Ein Bild"},
			"bitmap": {"A 1-bit image", "Ein 1-Bit-Bild"}, "gradient": {"A gradient", "Ein Verlauf"}, "artwork": {"Artwork", "Ein Objekt"},
		},
		"paint": {
			"white": {"white", "Weiß"}, "registration": {"the registration colour", "der Passerfarbe"},
			"unreadable": {"an unreadable colour", "einer nicht lesbaren Farbe"}, "none": {"a colour without ink", "einer Farbe ohne Farbauftrag"},
			"space": {"{space}", "{space}"}, "inks": {"{inks}", "{inks}"},
		},
		"icc_fault": {
			"unpack":      {"it cannot be unpacked", "es lässt sich nicht entpacken"},
			"header":      {"it has {bytes:bytes}, but its header requires {needed}", "es hat {bytes:bytes}, allein der Kopf braucht {needed}"},
			"signature":   {"it lacks the signature acsp", "ihm fehlt die Kennung acsp"},
			"size":        {"it declares {declared:bytes}, but has {bytes}", "es nennt {declared:bytes}, hat aber {bytes}"},
			"tags":        {"it ends before its tag table", "es endet vor seiner Tag-Tabelle"},
			"tag_count":   {"it declares {tags} tags, but is too short for them", "es nennt {tags} Tags, ist dafür aber zu kurz"},
			"description": {"its description lies outside the profile", "seine Beschreibung liegt außerhalb des Profils"},
			"class":       {"it has the unknown class {class:quoted}", "es hat die unbekannte Klasse {class:quoted}"},
			"space":       {"it has the unknown colour space {space:quoted}", "es hat den unbekannten Farbraum {space:quoted}"},
			"version":     {"it has the unknown version {version}", "es hat die unbekannte Version {version}"},
			"channels":    {"it has {channels:channels} ({space}), but the file declares {components}", "es hat {channels:channels} ({space}), die Datei nennt {components}"},
		},

		// Optional parts of a sentence.
		"named":         {"": {"", ""}, "*": {" {condition}", " {condition}"}},
		"in_font":       {"": {"", ""}, "*": {" in the font {font}", " in der Schrift {font}"}},
		"tolerance_mm":  {"": {"", ""}, "*": {" (tolerance ±{tolerance} mm)", " (Toleranz ±{tolerance} mm)"}},
		"tolerance_pt":  {"": {"", ""}, "*": {" (tolerance ±{tolerance} pt)", " (Toleranz ±{tolerance} pt)"}},
		"tolerance_ppi": {"": {"", ""}, "*": {" (tolerance ±{tolerance} ppi)", " (Toleranz ±{tolerance} ppi)"}},
	}
}) // constant
