// SPDX-License-Identifier: Apache-2.0

package texts

// pdfx holds the texts of the rules about conformance to PDF/X.
var pdfx = []rule{
	{
		id: "pdfx.action", title: text{"PDF/X: actions", "PDF/X: Aktionen"},
		fix:      text{"Export for print, without links, bookmarks and scripts.", "Für den Druck exportieren, ohne Verknüpfungen, Lesezeichen und Skripte."},
		messages: one("{standard} does not allow actions; the file has {actions}.", "{standard} erlaubt keine Aktionen; die Datei enthält {actions}."),
	},
	{
		id: "pdfx.alternate", title: text{"PDF/X: alternate image", "PDF/X: Alternativbild"},
		fix:      text{"Export again; current software writes no alternate images.", "Erneut exportieren; aktuelle Software schreibt keine alternativen Bilder."},
		messages: one("{standard} does not allow an alternate image to replace the image in print (DefaultForPrinting).", "{standard} erlaubt nicht, dass ein Alternativbild das Bild im Druck ersetzt (DefaultForPrinting)."),
	},
	{
		id: "pdfx.annotation", title: text{"PDF/X: annotation on the page", "PDF/X: Anmerkung auf der Seite"},
		fix:      text{"Delete annotations, or move them outside of the bleed.", "Anmerkungen löschen oder außerhalb des Beschnitts platzieren."},
		messages: one("{standard} does not allow an annotation ({type}) inside the bleed.", "{standard} erlaubt innerhalb des Beschnitts keine Anmerkung ({type})."),
	},
	{
		id: "pdfx.attachment", title: text{"PDF/X: attached files", "PDF/X: angehängte Dateien"},
		fix:      text{"Remove the attached files.", "Angehängte Dateien entfernen."},
		messages: one("{standard} does not allow attached files; the file has {files}.", "{standard} erlaubt keine angehängten Dateien; die Datei enthält {files}."),
	},
	{
		id: "pdfx.color", title: text{"PDF/X: colour space", "PDF/X: Farbraum"},
		fix: text{"Convert the colours to the printing condition of the output intent, or tag them with an ICC profile where the version of PDF/X allows it.", "Farben in die Ausgabebedingung des Output-Intents umwandeln oder, wo die PDF/X-Version es erlaubt, mit einem ICC-Profil versehen."},
		messages: map[string]text{
			"":          {"{standard} does not allow {space}, which is used on {pages:pages}.", "{standard} erlaubt {space} nicht, das auf {pages:pages} vorkommt."},
			"device":    {"{standard} does not allow {space}, which is used on {pages:pages}, with an output intent for {condition}.", "{standard} erlaubt {space}, das auf {pages:pages} vorkommt, nicht zusammen mit einem Output-Intent für {condition}."},
			"alternate": {"{standard} does not allow {space} as the alternate colour of a spot colour with an output intent for {condition}.", "{standard} erlaubt {space} nicht als Ersatzfarbe einer Sonderfarbe zusammen mit einem Output-Intent für {condition}."},
			"group":     {"{standard} does not allow transparency to be blended in {space} with an output intent for {condition}.", "{standard} erlaubt nicht, Transparenz in {space} zu berechnen, wenn der Output-Intent für {condition} gilt."},
		},
	},
	{
		id: "pdfx.compressed_objects", title: text{"PDF/X: compressed objects", "PDF/X: komprimierte Objekte"},
		fix:      text{"Save the file without object streams, as PDF 1.4 or older.", "Datei ohne Objektströme speichern, als PDF 1.4 oder älter."},
		messages: one("{standard} does not allow objects or the cross-reference table in streams; PDF has them since version 1.5.", "{standard} erlaubt keine Objekte und keine Querverweistabelle in Strömen; PDF kennt sie seit Version 1.5."),
	},
	{
		id: "pdfx.external_data", title: text{"PDF/X: data in other files", "PDF/X: Daten in anderen Dateien"},
		fix:      text{"Export again, with all data inside the file.", "Erneut exportieren, mit allen Daten in der Datei."},
		messages: one("{standard} requires all data inside the file; a stream refers to another file.", "{standard} verlangt alle Daten in der Datei; ein Strom verweist auf eine andere Datei."),
	},
	{
		id: "pdfx.filter", title: text{"PDF/X: compression", "PDF/X: Komprimierung"},
		fix:      text{"Export again with ZIP or JPEG compression.", "Erneut mit ZIP- oder JPEG-Komprimierung exportieren."},
		messages: one("{standard} does not allow the filter {filter}.", "{standard} erlaubt den Filter {filter} nicht."),
	},
	{
		id: "pdfx.halftone", title: text{"PDF/X: halftone", "PDF/X: Rasterung"},
		fix:      text{"Export without screening; the press chooses the halftone.", "Ohne Rastereinstellungen exportieren; die Druckerei wählt die Rasterung."},
		messages: one("{standard} does not allow a halftone with {halftone:halftone}.", "{standard} erlaubt keine Rasterung mit {halftone:halftone}."),
	},
	{
		id: "pdfx.icc_identical", title: text{"PDF/X: profile repeats the output intent", "PDF/X: Profil wiederholt den Output-Intent"},
		fix:      text{"Export CMYK without profiles (keep numbers); the output intent describes its colours.", "CMYK ohne Profile exportieren (Werte beibehalten); der Output-Intent beschreibt die Farben."},
		messages: one("{standard} does not allow CMYK with the ICC profile of the output intent: it must be DeviceCMYK.", "{standard} erlaubt kein CMYK mit dem ICC-Profil des Output-Intents: Es muss DeviceCMYK sein."),
	},
	{
		id: "pdfx.icc_overprint", title: text{"PDF/X: overprint of CMYK with a profile", "PDF/X: Überdrucken von CMYK mit Profil"},
		fix:      text{"Export CMYK without profiles, or switch overprint mode 1 off for these objects.", "CMYK ohne Profile exportieren oder Überdruckmodus 1 für diese Objekte abschalten."},
		messages: one("{standard} does not allow ICC-based CMYK to overprint in mode 1: its result is undefined.", "{standard} erlaubt nicht, dass ICC-basiertes CMYK in Modus 1 überdruckt: Das Ergebnis ist nicht festgelegt."),
	},
	{
		id: "pdfx.identification", title: text{"PDF/X: identification", "PDF/X: Kennzeichnung"},
		fix: text{"Export again as PDF/X; current software writes the identification where the version requires it.", "Erneut als PDF/X exportieren; aktuelle Software schreibt die Kennzeichnung an die vorgeschriebene Stelle."},
		messages: map[string]text{
			"xmp":  {"{standard} requires the identification in the XMP metadata (pdfxid:GTS_PDFXVersion); the file lacks it.", "{standard} verlangt die Kennzeichnung in den XMP-Metadaten (pdfxid:GTS_PDFXVersion); sie fehlt."},
			"info": {"{standard} requires the identification in the document information (GTS_PDFXVersion); the file lacks it.", "{standard} verlangt die Kennzeichnung in den Dokumentinformationen (GTS_PDFXVersion); sie fehlt."},
		},
	},
	{
		id: "pdfx.layer", title: text{"PDF/X: layers", "PDF/X: Ebenen"},
		fix: text{"Export again as PDF/X, and merge layers for PDF/X-1a and PDF/X-3.", "Erneut als PDF/X exportieren, für PDF/X-1a und PDF/X-3 mit reduzierten Ebenen."},
		messages: map[string]text{
			"":     {"{standard} does not allow layers; the file has {layers:layers}.", "{standard} erlaubt keine Ebenen; die Datei hat {layers:layers}."},
			"as":   {"{standard} does not allow layers that switch by themselves (AS in a configuration).", "{standard} erlaubt keine Ebenen, die sich selbst umschalten (AS in OCProperties)."},
			"name": {"{standard} requires a name for each configuration of layers; one has none.", "{standard} verlangt für jede Einstellung der Ebenen (OCProperties) einen Namen; eine hat keinen."},
		},
	},
	{
		id: "pdfx.metadata", title: text{"PDF/X: metadata", "PDF/X: Metadaten"},
		fix: text{"Export again as PDF/X; an edit after the export may have changed only one of the two places.", "Erneut als PDF/X exportieren; eine spätere Bearbeitung hat vielleicht nur eine der beiden Stellen geändert."},
		messages: map[string]text{
			"":        {"{standard} requires {properties} in the XMP metadata; the file lacks them.", "{standard} verlangt in den XMP-Metadaten {properties}; diese Angaben fehlen."},
			"info":    {"{standard} requires {properties} in the document information; only the XMP metadata have them.", "{standard} verlangt in den Dokumentinformationen {properties}; nur die XMP-Metadaten enthalten diese Angaben."},
			"packet":  {"{standard} requires XMP metadata; the file has none that can be read.", "{standard} verlangt XMP-Metadaten; die Datei hat keine lesbaren."},
			"differs": {"{standard} requires the same values in the XMP metadata and the document information; they differ in {properties}.", "{standard} verlangt gleiche Werte in XMP-Metadaten und Dokumentinformationen; sie unterscheiden sich bei {properties}."},
		},
	},
	{
		id: "pdfx.operator", title: text{"PDF/X: unknown operator", "PDF/X: unbekannter Operator"},
		fix:      text{"Export again with current software.", "Mit aktueller Software erneut exportieren."},
		messages: one("{standard} does not allow the operator {operator:quoted}, which PDF does not have, even between BX and EX.", "{standard} erlaubt den Operator {operator:quoted}, den PDF nicht kennt, auch zwischen BX und EX nicht."),
	},
	{
		id: "pdfx.output_intent", title: text{"PDF/X: output intent", "PDF/X: Output-Intent"}, fix: condition,
		messages: map[string]text{
			"identifier": {"{standard} requires the name of the printing condition (OutputConditionIdentifier); the output intent lacks it.", "{standard} verlangt den Namen der Ausgabebedingung (OutputConditionIdentifier); er fehlt im Output-Intent."},
			"profile":    {"{standard} requires the ICC profile of the output intent{condition:named} inside the file.", "{standard} verlangt das ICC-Profil des Output-Intents{condition:named} in der Datei."},
			"reference":  {"{standard} requires a reference to the ICC profile of the output intent{condition:named}.", "{standard} verlangt einen Verweis auf das ICC-Profil des Output-Intents{condition:named}."},
			"space":      {"{standard} does not allow an output intent{condition:named} for {space}.", "{standard} erlaubt keinen Output-Intent{condition:named} für {space}."},
		},
	},
	{
		id: "pdfx.presentation", title: text{"PDF/X: presentations", "PDF/X: Präsentationen"},
		fix:      text{"Export for print; a presentation shows parts of a page one after the other.", "Für den Druck exportieren; eine Präsentation zeigt Teile einer Seite nacheinander."},
		messages: one("{standard} does not allow presentations ({entry}).", "{standard} erlaubt keine Präsentationen ({entry})."),
	},
	{
		id: "pdfx.rendering_intent", title: text{"PDF/X: rendering intent", "PDF/X: Rendering-Intent"},
		fix:      text{"Select one of the four rendering intents of PDF, usually relative colorimetric.", "Einen der vier Rendering-Intents von PDF wählen, meist relativ farbmetrisch."},
		messages: one("{standard} does not allow the rendering intent {intent:quoted}, which PDF does not have.", "{standard} erlaubt den Rendering-Intent {intent:quoted} nicht, den PDF nicht kennt."),
	},
	{
		id: "pdfx.separated_page", title: text{"PDF/X: separated pages", "PDF/X: vorseparierte Seiten"},
		fix:      text{"Export composite pages; the printer separates them.", "Composite-Seiten exportieren; die Druckerei separiert sie."},
		messages: one("{standard} does not allow pages that hold one separation only.", "{standard} erlaubt keine Seiten, die nur einen Farbauszug enthalten."),
	},
	{
		id: "pdfx.transparency", title: text{"PDF/X: transparency", "PDF/X: Transparenz"},
		fix: text{"Flatten transparency on export, or export as PDF/X-4.", "Transparenz beim Export reduzieren oder als PDF/X-4 exportieren."},
		messages: map[string]text{
			"":      {"{standard} does not allow transparency; the file uses {kinds}.", "{standard} erlaubt keine Transparenz; die Datei verwendet {kinds}."},
			"form":  {"{standard} does not allow transparency groups; a form is one.", "{standard} erlaubt keine Transparenzgruppen; ein Formular-XObject ist eine."},
			"group": {"{standard} does not allow transparency groups; the page is one.", "{standard} erlaubt keine Transparenzgruppen; die Seite ist eine."},
		},
	},
	{
		id: "pdfx.version", title: text{"PDF/X: PDF version", "PDF/X: PDF-Version"},
		fix:      text{"Export again as PDF/X, which selects a suitable PDF version.", "Erneut als PDF/X exportieren; dabei wird eine passende PDF-Version gewählt."},
		messages: one("{standard} allows PDF {newest:version} or older; the file uses PDF {version}.", "{standard} erlaubt höchstens PDF {newest:version}; die Datei verwendet PDF {version}."),
	},
	{
		id: "pdfx.viewer_area", title: text{"PDF/X: area for viewers", "PDF/X: Anzeigebereich"},
		fix:      text{"Remove the entry from the viewer preferences, or set it to MediaBox or BleedBox.", "Eintrag aus den Anzeigeeinstellungen entfernen oder auf MediaBox oder BleedBox setzen."},
		messages: one("{standard} allows MediaBox and BleedBox for {entry}; the file selects another box.", "{standard} erlaubt für {entry} nur MediaBox und BleedBox; die Datei wählt eine andere Box."),
	},
}
