// SPDX-License-Identifier: Apache-2.0

package texts

// viewers holds the texts of the rules about layers, interactive content, special features and the
// order.
var viewers = []rule{
	{
		id: "layer.configurations", title: text{"Layers have several configurations", "Ebenen haben mehrere Einstellungen"},
		fix:      text{"Export again as PDF/X without layers, or delete the other configurations of layers.", "Erneut als PDF/X ohne Ebenen exportieren oder die anderen Ebeneneinstellungen löschen."},
		messages: one("The document has configurations of layers beside the default one, which show other content.", "Das Dokument hat neben der Standardeinstellung weitere Ebeneneinstellungen, die anderen Inhalt zeigen."),
	},
	{
		id: "layer.hidden", title: text{"Layer with content is not printed", "Ebene mit Inhalt wird nicht gedruckt"},
		fix:      text{"Delete the layer or make it visible, and export again.", "Ebene löschen oder einblenden und erneut exportieren."},
		messages: one("The layer {layer} has content on {pages:pages} but is switched off and does not print.", "Die Ebene {layer} hat Inhalt auf {pages:pages}, ist aber ausgeblendet und wird nicht gedruckt."),
	},
	{
		id: "layer.present", title: text{"Layers are used", "Ebenen werden verwendet"},
		fix:      text{"No action is needed if all layers are intended for print.", "Keine Aktion nötig, wenn alle Ebenen gedruckt werden sollen."},
		messages: one("The file has layers: {layers}.", "Die Datei enthält Ebenen: {layers}."),
	},
	{
		id: "layer.processing_step", title: text{"Layer for a processing step", "Ebene für einen Verarbeitungsschritt"},
		fix:      text{"No action is needed if the processing step was ordered.", "Keine Aktion nötig, wenn der Verarbeitungsschritt bestellt wurde."},
		messages: one("The layer {layer} is for the processing step {step}.", "Die Ebene {layer} ist für den Verarbeitungsschritt {step} bestimmt."),
	},

	{
		id: "action.javascript", title: text{"JavaScript", "JavaScript"},
		fix:      text{"Remove the scripts in Acrobat, or export the file again as Adobe PDF (Print).", "Skripte in Acrobat entfernen oder die Datei erneut als Adobe PDF (Druck) exportieren."},
		messages: one("The file contains JavaScript, which has no effect in print.", "Die Datei enthält JavaScript, das im Druck keine Wirkung hat."),
	},
	{
		id: "action.other", title: text{"Actions", "Aktionen"},
		fix:      text{"Remove the actions in Acrobat, or export the file again as Adobe PDF (Print).", "Aktionen in Acrobat entfernen oder die Datei erneut als Adobe PDF (Druck) exportieren."},
		messages: one("The file contains actions ({actions}), which have no effect in print.", "Die Datei enthält Aktionen ({actions}), die im Druck keine Wirkung haben."),
	},
	{
		id: "annotation.in_trim", title: text{"Annotation prints on the page", "Anmerkung wird auf der Seite gedruckt"}, fix: flatten,
		messages: one("An annotation ({type}) lies inside the trim area and would print.", "Eine Anmerkung ({type}) liegt im Endformat und würde gedruckt."),
	},
	{
		id: "annotation.multimedia", title: text{"Video, sound or 3D content", "Video, Ton oder 3D-Inhalt"},
		fix:      text{"Replace the content with an image.", "Inhalt durch ein Bild ersetzen."},
		messages: one("The page contains video, sound or 3D content ({type}), which cannot be printed.", "Die Seite enthält Video, Ton oder 3D-Inhalt ({type}), der sich nicht drucken lässt."),
	},
	{
		id: "annotation.present", title: text{"Annotations", "Anmerkungen"}, fix: flatten,
		messages: one("The page has annotations, for example comments, links or form fields.", "Die Seite enthält Anmerkungen, zum Beispiel Kommentare, Verknüpfungen oder Formularfelder."),
	},
	{
		id: "file.attachment", title: text{"File attachments", "Dateianlagen"},
		fix:      text{"Send each file separately.", "Jede Datei einzeln senden."},
		messages: one("Files are attached to the document: {files}.", "Das Dokument enthält Dateianlagen: {files}."),
	},
	{
		id: "form.field", title: text{"Form fields", "Formularfelder"}, fix: flatten,
		messages: map[string]text{
			"":    {"The file has {fields:fields}.", "Die Datei enthält {fields:fields}."},
			"xfa": {"The file is a dynamic form (XFA); its print differs from its display.", "Die Datei ist ein dynamisches Formular (XFA); der Druck weicht von der Anzeige ab."},
		},
	},
	{
		id: "form.signature", title: text{"Digital signature", "Digitale Signatur"},
		fix:      text{"No action is needed; any change that the printer makes to the file invalidates the signature.", "Keine Aktion nötig; jede Änderung der Druckerei an der Datei macht die Signatur ungültig."},
		messages: one("The file is digitally signed.", "Die Datei ist digital signiert."),
	},

	{
		id: "feature.black_generation", title: text{"Black generation is fixed", "Schwarzaufbau ist festgelegt"}, fix: withPreset,
		messages: one("The file fixes the black generation, which the printer normally selects.", "Die Datei legt den Schwarzaufbau fest, den sonst die Druckerei wählt."),
	},
	{
		id: "feature.halftone", title: text{"Screening is fixed", "Rasterung ist festgelegt"},
		fix:      text{"Remove screening when exporting; the printer selects it for the press.", "Rasterung beim Export entfernen; die Druckerei wählt sie passend zur Maschine."},
		messages: one("The file fixes the screening (halftone), which the printer normally selects.", "Die Datei legt die Rasterung (Halftone) fest, die sonst die Druckerei wählt."),
	},
	{
		id: "feature.postscript", title: text{"PostScript inside the PDF", "PostScript im PDF"}, fix: withPreset,
		messages: one("The file contains PostScript, which most printers ignore.", "Die Datei enthält PostScript, das die meisten Druckereien nicht ausgeben."),
	},
	{
		id: "feature.private_data", title: text{"Private application data", "Private Anwendungsdaten"},
		fix:      text{"Export without preserving editing capabilities (Illustrator) to reduce the file size.", "Ohne Erhalt der Bearbeitungsfunktionen (Illustrator) exportieren, um die Datei zu verkleinern."},
		messages: one("The file contains private data of the application that created it.", "Die Datei enthält private Daten der Anwendung, die sie erzeugt hat."),
	},
	{
		id: "feature.reference_xobject", title: text{"Content is in another file", "Inhalt liegt in einer anderen Datei"},
		fix:      text{"Embed all placed files when exporting.", "Beim Export alle platzierten Dateien einbetten."},
		messages: one("Part of the page is in another file and would not print.", "Ein Teil der Seite liegt in einer anderen Datei und würde nicht gedruckt."),
	},
	{
		id: "feature.transfer_function", title: text{"Transfer function", "Transferfunktion"},
		fix:      text{"Remove transfer functions when exporting.", "Transferfunktionen beim Export entfernen."},
		messages: one("A transfer function changes the printed tones.", "Eine Transferfunktion verändert die gedruckten Tonwerte."),
	},

	{
		id: "intent.back_printed", title: text{"Back is printed but was ordered without ink", "Rückseite ist bedruckt, aber ohne Farbe bestellt"},
		fix:      text{"Remove the even pages or their content, or order a printed back.", "Gerade Seiten oder ihren Inhalt entfernen oder eine bedruckte Rückseite bestellen."},
		messages: one("The page is the back of a sheet; the order leaves the back without ink.", "Die Seite ist die Rückseite eines Bogens; laut Auftrag bleibt die Rückseite unbedruckt."),
	},
	{
		id: "intent.colors_extra", title: text{"Ink was not ordered", "Druckfarbe wurde nicht bestellt"},
		fix: text{"Convert the colours to the ordered inks, or change the order.", "Farben in die bestellten Druckfarben umwandeln oder den Auftrag ändern."},
		messages: map[string]text{
			"process": {"The process ink {ink:ink} is used but was not ordered.", "Die Prozessfarbe {ink:ink} wird verwendet, wurde aber nicht bestellt."},
			"spot":    {"The spot colour {ink} is used but was not ordered.", "Die Sonderfarbe {ink} wird verwendet, wurde aber nicht bestellt."},
			"space":   {"Colours in {space} print in four process inks, which were not ordered.", "Farben in {space} werden mit vier Prozessfarben gedruckt, die nicht bestellt wurden."},
		},
	},
	{
		id: "intent.colors_missing", title: text{"Ordered ink is not used", "Bestellte Druckfarbe wird nicht verwendet"},
		fix:      text{"Check whether the colour has another name in the file, or change the order.", "Prüfen, ob die Farbe in der Datei anders heißt, oder den Auftrag ändern."},
		messages: one("The spot colour {ink} was ordered but is not used.", "Die Sonderfarbe {ink} wurde bestellt, wird aber nicht verwendet."),
	},
	{
		id: "intent.cover_size", title: text{"Cover size differs from the order by more than 0.5 mm", "Umschlaggröße weicht um mehr als 0,5 mm vom Auftrag ab"},
		fix: text{"Make the cover as wide as two pages and the spine, or send its pages one by one.", "Umschlag so breit wie zwei Seiten und den Rücken anlegen oder seine Seiten einzeln senden."},
		messages: map[string]text{
			"":      {"The cover is {width_mm} x {height_mm} mm; two pages of {pageWidth_mm} mm and a spine of {spine_mm} mm need {orderedWidth_mm} x {orderedHeight_mm} mm.", "Der Umschlag ist {width_mm} x {height_mm} mm; zwei Seiten von {pageWidth_mm} mm und ein Rücken von {spine_mm} mm brauchen {orderedWidth_mm} x {orderedHeight_mm} mm."},
			"least": {"The cover is {width_mm} x {height_mm} mm; two pages of {pageWidth_mm} mm and a spine need at least {orderedWidth_mm} x {orderedHeight_mm} mm.", "Der Umschlag ist {width_mm} x {height_mm} mm; zwei Seiten von {pageWidth_mm} mm und ein Rücken brauchen mindestens {orderedWidth_mm} x {orderedHeight_mm} mm."},
		},
	},
	{
		id: "intent.page_count", title: text{"Page count differs from the order", "Seitenzahl weicht vom Auftrag ab"},
		fix:      text{"Send a file with the ordered pages, or change the order.", "Datei mit den bestellten Seiten senden oder den Auftrag ändern."},
		messages: one("The document has {value:pages}; the order specifies {limit}.", "Das Dokument hat {value:pages}; bestellt: {limit}."),
	},
	{
		id: "intent.page_multiple", title: text{"Page count does not fit the binding", "Seitenzahl passt nicht zur Bindung"},
		fix: text{"Add empty pages or remove pages, or order another binding.", "Leere Seiten ergänzen, Seiten entfernen oder eine andere Bindung bestellen."},
		messages: map[string]text{
			"":     {"The document has {value:pages}; the binding {binding:binding} needs a multiple of {limit}.", "Das Dokument hat {value:pages}; die Bindung ({binding:binding}) braucht ein Vielfaches von {limit}."},
			"copy": {"Each copy has {value:pages}; the binding {binding:binding} needs a multiple of {limit}.", "Jedes Exemplar hat {value:pages}; die Bindung ({binding:binding}) braucht ein Vielfaches von {limit}."},
		},
	},
	{
		id: "intent.stock", title: text{"File was made for another stock than ordered", "Datei ist für einen anderen Bedruckstoff als bestellt"},
		fix:      text{"Export again with the output intent for the ordered stock, or change the order.", "Mit dem Output-Intent für den bestellten Bedruckstoff erneut exportieren oder den Auftrag ändern."},
		messages: one("The output intent {condition} is for {made:surface} stock; {surface:surface} stock was ordered.", "Bedruckstoff des Output-Intents {condition}: {made:surface}; bestellt: {surface:surface}."),
	},
	{
		id: "intent.trim_size", title: text{"Trim size differs from the order by more than 0.5 mm", "Endformat weicht um mehr als 0,5 mm vom Auftrag ab"},
		fix: text{"Set the trim size (TrimBox) to the ordered size and export again, or change the order.", "Endformat (TrimBox) auf die bestellte Größe setzen und erneut exportieren oder den Auftrag ändern."},
		messages: map[string]text{
			"": {
				"The trim size of the page is {width_mm} x {height_mm} mm; {orderedWidth_mm} x {orderedHeight_mm} mm was ordered.",
				"Das Endformat der Seite ist {width_mm} x {height_mm} mm; bestellt: {orderedWidth_mm} x {orderedHeight_mm} mm.",
			},
			"turned": {
				"The trim size of the page is {width_mm} x {height_mm} mm; {orderedWidth_mm} x {orderedHeight_mm} mm was ordered, so the page is turned by 90 degrees.",
				"Das Endformat der Seite ist {width_mm} x {height_mm} mm; bestellt: {orderedWidth_mm} x {orderedHeight_mm} mm, die Seite ist also um 90 Grad gedreht.",
			},
		},
	},
	{
		id: "intent.varnish_extra", title: text{"Varnish was not ordered", "Lack wurde nicht bestellt"},
		fix:      text{"Remove the ink, or order a varnish.", "Druckfarbe entfernen oder einen Lack bestellen."},
		messages: one("The ink {ink} is a varnish; the order is without varnish.", "Die Druckfarbe {ink} ist ein Lack; der Auftrag ist ohne Lack."),
	},
	{
		id: "intent.varnish_missing", title: text{"Place of the spot varnish is missing", "Fläche für den Spotlack fehlt"},
		fix:      text{"Add the varnished areas in a spot colour with the name Varnish.", "Lackierte Flächen in einer Sonderfarbe mit dem Namen Varnish anlegen."},
		messages: one("A spot varnish was ordered; no ink of the file states where it is.", "Ein Spotlack wurde bestellt; keine Druckfarbe der Datei zeigt, wo er liegt."),
	},
}

var (
	flatten    = text{"Remove comments and form fields in Acrobat, or flatten them.", "Kommentare und Formularfelder in Acrobat entfernen oder in die Seite einrechnen."}
	withPreset = text{"Export again from current software with a PDF/X preset.", "Mit aktueller Software und einer PDF/X-Vorgabe erneut exportieren."}
)
