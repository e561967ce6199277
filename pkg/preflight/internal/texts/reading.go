// SPDX-License-Identifier: Apache-2.0

package texts

// reading holds the texts of the rules about reading the file.
var reading = []rule{
	{
		id:       "file.empty",
		title:    text{"File is empty", "Datei ist leer"},
		fix:      text{"Upload the file again and check that the transfer completes.", "Datei erneut hochladen und prüfen, ob die Übertragung vollständig ist."},
		messages: one("The file has no content: 0 bytes.", "Die Datei hat keinen Inhalt: 0 Byte."),
	},
	{
		id:       "file.not_pdf",
		title:    text{"File is not a PDF", "Datei ist kein PDF"},
		fix:      text{"Export the document as PDF and send that file.", "Dokument als PDF exportieren und diese Datei senden."},
		messages: one("The file is not a PDF: the header %PDF- is missing.", "Die Datei ist kein PDF: Die Kennung %PDF- am Dateianfang fehlt."),
	},
	{
		// The finding of a simulated report, which no rule makes.
		id: "file.simulated", title: text{"Simulated finding", "Simulierter Befund"},
		fix:      text{"Submit the file with an inspection profile.", "Datei mit einem Prüfprofil einreichen."},
		messages: one("Simulated verdict: the profile of the job requests it, and no file was fetched.", "Simuliertes Ergebnis: Das Profil des Auftrags verlangt es; es wurde keine Datei abgerufen."),
	},
	{
		id:    "limits.annotations",
		title: text{"Too many annotations", "Zu viele Anmerkungen"},
		fix:   text{"Remove comments and form fields in Acrobat, or split the document.", "Kommentare und Formularfelder in Acrobat entfernen oder das Dokument teilen."},
		messages: one("The document has more than {limit} annotations; the others were not inspected.",
			"Das Dokument enthält mehr als {limit} Anmerkungen; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.content_bytes", title: text{"Too many drawing instructions", "Zu viele Zeichenanweisungen"}, fix: simpler,
		messages: one("The pages hold more than {limit_mib} MiB of drawing instructions, counted each time they are used; the others were not inspected.",
			"Die Seiten enthalten mehr als {limit_mib} MiB Zeichenanweisungen, bei jeder Verwendung gezählt; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.decoded_bytes", title: text{"Compressed data is too large when unpacked", "Komprimierte Daten sind entpackt zu groß"}, fix: again,
		messages: map[string]text{
			"": {
				"Compressed data in the file exceeds {stream_mib} MiB in one stream or {total_mib} MiB in total; the rest was not inspected.",
				"Komprimierte Daten der Datei überschreiten entpackt {stream_mib} MiB je Datenstrom oder {total_mib} MiB insgesamt; der Rest wurde nicht geprüft.",
			},
			"table": {
				"The cross-reference table of the file is too large when unpacked; the file was not inspected.",
				"Die Querverweistabelle der Datei ist entpackt zu groß; die Datei wurde nicht geprüft.",
			},
		},
	},
	{
		id: "limits.file_size", title: text{"File is too large", "Datei ist zu groß"}, fix: downsample,
		messages: one("The file has {bytes} bytes; files up to {limit} bytes are inspected.", "Die Datei hat {bytes} Byte; geprüft werden Dateien bis {limit} Byte."),
	},
	{
		id: "limits.fonts", title: text{"Too many fonts", "Zu viele Schriften"}, fix: simpler,
		messages: one("The document declares more than {limit} fonts; the others were not inspected.", "Das Dokument enthält mehr als {limit} Schriften; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.image_bytes", title: text{"Images are too large when unpacked", "Bilder sind entpackt zu groß"}, fix: downsample,
		messages: map[string]text{
			"one": {
				"An image exceeds {limit_mib} MiB when unpacked; the total ink coverage of this image was not measured.",
				"Ein Bild überschreitet entpackt {limit_mib} MiB; sein Farbauftrag wurde nicht gemessen.",
			},
			"all": {
				"The images of the file exceed {limit_mib} MiB in total when unpacked; the ink coverage of the others was not measured.",
				"Die Bilder der Datei überschreiten entpackt zusammen {limit_mib} MiB; der Farbauftrag der übrigen wurde nicht gemessen.",
			},
		},
	},
	{
		id: "limits.images", title: text{"Too many images", "Zu viele Bilder"}, fix: simpler,
		messages: one("The document places images more than {limit} times; the others were not inspected.", "Das Dokument platziert mehr als {limit} Bilder; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.inks", title: text{"Too many inks", "Zu viele Druckfarben"},
		fix:      text{"Convert spot colours that are not printed as such to process colours.", "Sonderfarben, die nicht als solche gedruckt werden, in Prozessfarben umwandeln."},
		messages: one("The document uses more than {limit} inks; the others were not inspected.", "Das Dokument verwendet mehr als {limit} Druckfarben; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.nesting", title: text{"Drawings are nested too deeply or contain themselves", "Zeichnungen sind zu tief verschachtelt oder enthalten sich selbst"}, fix: simpler,
		messages: map[string]text{
			"cycle":  {"The drawing instructions contain themselves.", "Die Zeichenanweisungen enthalten sich selbst."},
			"depth":  {"Drawings are nested more than {limit} levels deep; deeper levels were not inspected.", "Zeichnungen sind mehr als {limit} Ebenen tief verschachtelt; tiefere Ebenen wurden nicht geprüft."},
			"states": {"The graphics state is saved more than {limit} levels deep; later colours and sizes may be wrong.", "Der Grafikzustand wird mehr als {limit} Ebenen tief gesichert; spätere Farben und Größen können falsch sein."},
		},
	},
	{
		id: "limits.operators", title: text{"Too many drawing operators", "Zu viele Zeichenoperatoren"}, fix: simpler,
		messages: one("The pages hold more than {limit} drawing operators; the others were not inspected.", "Die Seiten enthalten mehr als {limit} Zeichenoperatoren; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.pages", title: text{"Too many pages", "Zu viele Seiten"},
		fix:      text{"Split the document into several files.", "Dokument in mehrere Dateien teilen."},
		messages: one("The file has more than {limit} pages; the others were not inspected.", "Die Datei hat mehr als {limit} Seiten; die übrigen wurden nicht geprüft."),
	},
	{
		id: "limits.painting", title: text{"Page takes too much work to paint", "Seite ist zu aufwendig zu zeichnen"}, fix: simpler,
		messages: one(
			"A limit ended the painting of the page early; its ink and what is near its edges are judged by the part that was painted.",
			"Eine Grenze hat das Zeichnen der Seite vorzeitig beendet; ihr Farbauftrag und was nahe an ihren Rändern liegt werden nach dem gezeichneten Teil beurteilt.",
		),
	},
	{
		id: "limits.structure", title: text{"Structure is too large", "Dateistruktur ist zu groß"},
		fix: text{"Save the document under a new name in Acrobat, which removes old versions, or split the document.", "Dokument in Acrobat unter neuem Namen speichern, damit alte Stände entfallen, oder das Dokument teilen."},
		messages: map[string]text{
			"sections": {"The file has more than {limit} incremental updates; it was not inspected.", "Die Datei hat mehr als {limit} angehängte Änderungen; sie wurde nicht geprüft."},
			"elements": {"The file has more than {limit} bookmarks, form fields, actions and similar elements; the others were not inspected.", "Die Datei enthält mehr als {limit} Lesezeichen, Formularfelder, Aktionen und ähnliche Elemente; die übrigen wurden nicht geprüft."},
			"intents":  {"The file has more than {limit} output intents; the others were not inspected.", "Die Datei enthält mehr als {limit} Output-Intents; die übrigen wurden nicht geprüft."},
		},
	},
	{
		id: "security.encrypted", title: text{"File is encrypted", "Datei ist verschlüsselt"},
		fix:      text{"Remove the security settings in Acrobat (File > Properties > Security) or export without them.", "Sicherheitseinstellungen in Acrobat entfernen (Datei > Eigenschaften > Sicherheit) oder ohne sie exportieren."},
		messages: one("The file is encrypted.", "Die Datei ist verschlüsselt."),
	},
	{
		id: "security.password_required", title: text{"File requires a password", "Datei verlangt ein Passwort"},
		fix:      text{"Save the document without a password and send that file.", "Dokument ohne Passwort speichern und diese Datei senden."},
		messages: one("The file can be opened only with a password.", "Die Datei lässt sich nur mit Passwort öffnen."),
	},
	{
		id: "security.print_denied", title: text{"Permissions forbid printing", "Berechtigungen verbieten das Drucken"},
		fix:      text{"Remove the security settings in Acrobat (File > Properties > Security) or export without them.", "Sicherheitseinstellungen in Acrobat entfernen (Datei > Eigenschaften > Sicherheit) oder ohne sie exportieren."},
		messages: one("The permissions of the file forbid printing, or printing at full quality.", "Die Berechtigungen der Datei verbieten das Drucken oder das Drucken in voller Qualität."),
	},
	{
		id: "structure.page_tree", title: text{"Page tree is damaged", "Seitenbaum ist beschädigt"}, fix: again,
		messages: map[string]text{
			"missing":       {"The file has no page tree.", "Die Datei hat keinen Seitenbaum."},
			"count_missing": {"The page tree has no page count; found: {found:pages}.", "Dem Seitenbaum fehlt die Seitenzahl; gefunden: {found:pages}."},
			"count_wrong":   {"The page tree declares {declared:pages}; found: {found}.", "Der Seitenbaum nennt {declared:pages}; gefunden: {found}."},
			"no_page":       {"The page tree refers to a page that does not exist.", "Der Seitenbaum verweist auf eine Seite, die es nicht gibt."},
			"cycle":         {"The page tree refers back to one of its own branches.", "Der Seitenbaum verweist auf einen seiner eigenen Zweige zurück."},
			"repeated":      {"The page tree lists this page more than once.", "Der Seitenbaum führt diese Seite mehrmals auf."},
			"media_missing": {"The page has no usable MediaBox; it was inspected as US Letter (612 x 792 pt).", "Die Seite hat keine brauchbare MediaBox; sie wurde als US Letter (612 x 792 pt) geprüft."},
		},
	},
	{
		id: "structure.parser_panic", title: text{"Structure is too damaged to read", "Dateistruktur ist nicht mehr lesbar"}, fix: again,
		messages: one("The structure of the file is damaged and made the PDF parser fail ({kind}).", "Die Struktur der Datei ist beschädigt; der PDF-Parser ist daran gescheitert ({kind})."),
	},
	{
		id: "structure.repaired", title: text{"Structure had to be repaired", "Dateistruktur musste repariert werden"},
		fix: text{"Export the file again from the design application and check the transfer; the file may have been truncated or changed.", "Datei erneut aus der Layoutanwendung exportieren und die Übertragung prüfen; sie wurde womöglich abgeschnitten oder verändert."},
		messages: map[string]text{
			"length":       {"The declared length of a data stream is wrong; the data was read up to its end marker.", "Die angegebene Länge eines Datenstroms ist falsch; die Daten wurden bis zur Endemarke gelesen."},
			"checksum":     {"The checksum of compressed data on this page is wrong; the data was used nevertheless.", "Die Prüfsumme komprimierter Daten dieser Seite ist falsch; die Daten wurden trotzdem verwendet."},
			"header_bytes": {"Foreign data ({bytes:bytes}) precedes the PDF header.", "Vor der PDF-Kennung stehen fremde Daten ({bytes:bytes})."},
			"eof":          {"The file does not end with the marker %%EOF.", "Die Datei endet nicht mit der Marke %%EOF."},
			"version":      {"The header declares the unknown PDF version {version}; the file was read as PDF 1.7.", "Die Kennung nennt die unbekannte PDF-Version {version}; die Datei wurde als PDF 1.7 gelesen."},
			"table":        {"The cross-reference table is missing or wrong; it was rebuilt from the objects found in the file.", "Die Querverweistabelle fehlt oder ist falsch; sie wurde aus den gefundenen Objekten neu aufgebaut."},
		},
	},
	{
		id: "structure.stream_unreadable", title: text{"Compressed data is damaged", "Komprimierte Daten sind beschädigt"}, fix: again,
		messages: map[string]text{
			"content": {"Compressed data that this page uses is damaged.", "Komprimierte Daten, die diese Seite verwendet, sind beschädigt."},
			"image":   {"The data of an image is damaged.", "Die Daten eines Bildes sind beschädigt."},
		},
	},
	{
		id: "structure.unreadable", title: text{"File cannot be opened", "Datei lässt sich nicht öffnen"}, fix: again,
		messages: map[string]text{
			"damaged":   {"The file is damaged or incomplete and cannot be opened.", "Die Datei ist beschädigt oder unvollständig und lässt sich nicht öffnen."},
			"encrypted": {"The file uses an encryption that cannot be opened.", "Die Datei verwendet eine Verschlüsselung, die sich nicht öffnen lässt."},
			"cut":       {"The end of the file is missing, most likely because of an incomplete transfer; only the remaining part was inspected.", "Das Ende der Datei fehlt, vermutlich wegen einer unvollständigen Übertragung; nur der vorhandene Teil wurde geprüft."},
		},
	},
	{
		id: "structure.unknown_operator", title: text{"Unknown drawing operator", "Unbekannter Zeichenoperator"},
		fix:      text{"Export again from current software with a PDF/X preset.", "Mit aktueller Software und einer PDF/X-Vorgabe erneut exportieren."},
		messages: one("The page contains the unknown drawing operator {operator}; content may be missing in print.", "Die Seite enthält den unbekannten Zeichenoperator {operator}; im Druck kann Inhalt fehlen."),
	},
}

var (
	again      = text{"Export the file again from the design application and send the new file.", "Datei erneut aus der Layoutanwendung exportieren und die neue Datei senden."}
	simpler    = text{"Simplify or flatten the artwork, or split the document, and export again.", "Grafik vereinfachen oder reduzieren oder das Dokument teilen und erneut exportieren."}
	downsample = text{"Downsample images to the resolution required for print when exporting, or split the document.", "Bilder beim Export auf die für den Druck nötige Auflösung herunterrechnen oder das Dokument teilen."}
)
