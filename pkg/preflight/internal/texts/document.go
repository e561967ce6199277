// SPDX-License-Identifier: Apache-2.0

package texts

// documents holds the texts of the rules about the document and its output intents.
var documents = []rule{
	{
		id: "document.dates_missing", title: text{"Dates are missing", "Datumsangaben fehlen"},
		fix:      text{"Export the file again; current software writes both dates.", "Datei erneut exportieren; aktuelle Software schreibt beide Datumsangaben."},
		messages: one("The file lacks its {dates:date}.", "In der Datei fehlt: {dates:date}."),
	},
	{
		id: "document.id_missing", title: text{"File identifier is missing", "Dateikennung fehlt"},
		fix:      text{"Export the file again; current software writes the identifier.", "Datei erneut exportieren; aktuelle Software schreibt die Kennung."},
		messages: one("The file has no identifier (ID in the trailer).", "Die Datei hat keine Kennung (ID im Trailer)."),
	},
	{id: "document.not_pdfx1a", title: text{"File does not claim PDF/X-1a", "Datei ist nicht als PDF/X-1a gekennzeichnet"}, fix: text{"Export as PDF/X-1a.", "Als PDF/X-1a exportieren."}, messages: otherStandard},
	{id: "document.not_pdfx3", title: text{"File does not claim PDF/X-3", "Datei ist nicht als PDF/X-3 gekennzeichnet"}, fix: text{"Export as PDF/X-3.", "Als PDF/X-3 exportieren."}, messages: otherStandard},
	{id: "document.not_pdfx4", title: text{"File does not claim PDF/X-4", "Datei ist nicht als PDF/X-4 gekennzeichnet"}, fix: text{"Export as PDF/X-4.", "Als PDF/X-4 exportieren."}, messages: otherStandard},
	{id: "document.not_pdfx6", title: text{"File does not claim PDF/X-6", "Datei ist nicht als PDF/X-6 gekennzeichnet"}, fix: text{"Export as PDF/X-6.", "Als PDF/X-6 exportieren."}, messages: otherStandard},
	{
		id: "document.pdfx_missing", title: text{"File does not claim PDF/X", "Datei ist nicht als PDF/X gekennzeichnet"},
		fix:      text{"Export as PDF/X, preferably PDF/X-4, with the output intent that the printer names.", "Als PDF/X exportieren, am besten PDF/X-4, mit dem Output-Intent, den die Druckerei nennt."},
		messages: one("The file does not claim conformance to PDF/X.", "Die Datei ist nicht als PDF/X gekennzeichnet."),
	},
	{
		id: "document.standard_conflict", title: text{"File claims several PDF/X versions", "Datei nennt mehrere PDF/X-Versionen"},
		fix:      text{"Export the file again as one version of PDF/X; a later edit changed one of the two entries.", "Datei erneut als eine PDF/X-Version exportieren; eine spätere Bearbeitung hat einen der beiden Einträge geändert."},
		messages: one("The file claims {standards}; only one PDF/X version can apply.", "Die Datei ist als {standards} gekennzeichnet; es kann nur eine PDF/X-Version gelten."),
	},
	{
		id: "document.standards", title: text{"Claimed standards", "Angegebene Standards"},
		fix:      text{"No action is needed; findings of the category pdfx state what violates a claim of PDF/X.", "Keine Aktion nötig; Befunde der Kategorie pdfx nennen, was gegen eine PDF/X-Kennzeichnung verstößt."},
		messages: one("The file claims {standards}.", "Die Datei ist als {standards} gekennzeichnet."),
	},
	{
		id: "document.title_missing", title: text{"Title is missing", "Titel fehlt"},
		fix:      text{"Enter a title in the document properties and export again.", "Titel in den Dokumenteigenschaften eintragen und erneut exportieren."},
		messages: one("The file has no title.", "Die Datei hat keinen Titel."),
	},
	{
		id: "document.trapped", title: text{"File is already trapped", "Datei ist bereits überfüllt"},
		fix:      text{"Export without trapping; the printer traps for the press and the material.", "Ohne Überfüllung exportieren; die Druckerei überfüllt passend zu Maschine und Material."},
		messages: one("The file is marked as already trapped.", "Die Datei ist als bereits überfüllt gekennzeichnet."),
	},
	{
		id: "document.trapped_missing", title: text{"Trapping status is missing", "Angabe zur Überfüllung fehlt"},
		fix:      text{"Export as PDF/X, which writes the Trapped entry.", "Als PDF/X exportieren; dabei wird der Eintrag Trapped geschrieben."},
		messages: one("The file does not state whether it is trapped (Trapped).", "Die Datei gibt nicht an, ob sie überfüllt ist (Trapped)."),
	},
	{
		id: "document.version_above", title: text{"PDF version is too new", "PDF-Version ist zu neu"},
		fix:      text{"Export with an older PDF version; PDF/X presets select a suitable one.", "Mit einer älteren PDF-Version exportieren; PDF/X-Vorgaben wählen eine passende."},
		messages: one("The file uses PDF {version}; the newest version allowed is PDF {limit:version}.", "Die Datei verwendet PDF {version}; zulässig ist höchstens PDF {limit:version}."),
	},

	{
		id: "outputintent.missing", title: text{"Output intent is missing", "Output-Intent fehlt"}, fix: condition,
		messages: one("The file has no output intent: the printing condition for its colours is unknown.", "Die Datei hat keinen Output-Intent: Die Ausgabebedingung ihrer Farben ist unbekannt."),
	},
	{
		id: "outputintent.multiple", title: text{"More than one output intent", "Mehrere Output-Intents"}, fix: condition,
		messages: one("The file has {found} output intents for print; only one is allowed.", "Die Datei hat {found} Output-Intents für den Druck; zulässig ist nur einer."),
	},
	{
		id: "outputintent.not_cmyk", title: text{"Output intent is not CMYK", "Output-Intent ist nicht CMYK"}, fix: condition,
		messages: one("The output intent{condition:named} is for {space}, not for CMYK.", "Der Output-Intent{condition:named} gilt für {space}, nicht für CMYK."),
	},
	{
		id: "outputintent.profile_invalid", title: text{"Profile of the output intent is invalid", "Profil des Output-Intents ist ungültig"}, fix: condition,
		messages: map[string]text{
			"damaged":    {"The ICC profile of the output intent{condition:named} is damaged: {fault:icc_fault}.", "Das ICC-Profil des Output-Intents{condition:named} ist beschädigt: {fault:icc_fault}."},
			"components": {"The ICC profile of the output intent{condition:named} is for {space}, but the file declares {components:channels}.", "Das ICC-Profil des Output-Intents{condition:named} ist für {space}, die Datei gibt jedoch {components:channels} an."},
			"class":      {"The ICC profile of the output intent{condition:named} has the class {class}; a printer profile (prtr) is required.", "Das ICC-Profil des Output-Intents{condition:named} hat die Klasse {class}; nötig ist ein Druckerprofil (prtr)."},
		},
	},
	{
		id: "outputintent.profile_missing", title: text{"Output intent cannot be identified", "Output-Intent ist nicht bestimmbar"}, fix: condition,
		messages: one("The output intent{condition:named} has neither an ICC profile nor a name from the ICC registry.", "Der Output-Intent{condition:named} hat weder ein ICC-Profil noch einen Namen aus dem ICC-Register."),
	},
}

var (
	condition = text{
		"Export as PDF/X and select the output intent that the printer names, for example FOGRA51 or GRACoL 2013.",
		"Als PDF/X exportieren und den Output-Intent wählen, den die Druckerei nennt, zum Beispiel FOGRA51 oder GRACoL 2013.",
	}
	otherStandard = map[string]text{
		"":      {"The file does not claim {required}.", "Die Datei ist nicht als {required} gekennzeichnet."},
		"other": {"The file claims {standards}, not {required}.", "Die Datei ist als {standards} gekennzeichnet, nicht als {required}."},
	}
)
