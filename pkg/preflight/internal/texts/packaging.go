// SPDX-License-Identifier: Apache-2.0

package texts

// packagings holds the texts of the rules about technical inks and processing steps.
var packagings = []rule{
	{
		id: "packaging.carton_step", title: text{"Processing step does not fit a box", "Verarbeitungsschritt passt nicht zu einer Schachtel"},
		fix:      text{"Remove the layer, or assign the type Creasing to the lines along which the box is folded (ISO 19593-1).", "Ebene entfernen oder den Linien, an denen die Schachtel gefaltet wird, den Typ Creasing zuweisen (ISO 19593-1)."},
		messages: one("The layer {layer} is for the processing step {type}, which boxes and displays of board must not have.", "Die Ebene {layer} ist für den Verarbeitungsschritt {type}, den Schachteln und Displays aus Karton nicht haben dürfen."),
	},
	{
		id: "packaging.contour_open", title: text{"Cutting line is open", "Schneidlinie ist offen"},
		fix: text{"Join the ends of the cutting line (Illustrator: Object > Path > Join), or let them meet another line.", "Enden der Schneidlinie verbinden (Illustrator: Objekt > Pfad > Zusammenfügen) oder an eine andere Linie anschließen."},
		messages: one("The cutting lines have {ends:openEnds}; an end is {value} mm away from any other line, and at most {limit} mm count as closed.",
			"Die Schneidlinien haben {ends:openEnds}; ein Ende ist {value} mm von jeder anderen Linie entfernt, als geschlossen gelten höchstens {limit} mm."),
	},
	{
		id: "packaging.crease_missing", title: text{"Creasing is missing", "Rillung fehlt"},
		fix:      text{"Put the creasing lines on a layer of the processing step Structural, Creasing (ISO 19593-1).", "Rilllinien auf eine Ebene des Verarbeitungsschritts Structural, Creasing (ISO 19593-1) legen."},
		messages: one("The file has no layer of the processing step Creasing.", "Die Datei hat keine Ebene des Verarbeitungsschritts Creasing (Rillen)."),
	},
	{
		id: "packaging.cut_missing", title: text{"Cutting is missing", "Stanzung fehlt"},
		fix:      text{"Put the cutting lines on a layer of the processing step Structural, Cutting (ISO 19593-1).", "Schneidlinien auf eine Ebene des Verarbeitungsschritts Structural, Cutting (ISO 19593-1) legen."},
		messages: one("The file has no layer of the processing step Cutting.", "Die Datei hat keine Ebene des Verarbeitungsschritts Cutting (Schneiden)."),
	},
	{
		id: "packaging.cut_tint", title: text{"Line of a tool is a tint", "Werkzeuglinie ist abgetönt"},
		fix: text{"Use the full tint of the ink for cutting, creasing and perforating; cutters ignore tints.", "Farbe zum Schneiden, Rillen und Perforieren mit 100 % verwenden; Schneidsysteme übergehen Abtönungen."},
		messages: one("{mark:Mark} in {paint:paint} uses a technical ink at {value} %; the line of a tool needs {limit} %.",
			"{mark:Mark} in {paint:paint} verwendet eine technische Farbe mit {value} %; eine Werkzeuglinie braucht {limit} %."),
	},
	{
		id: "packaging.filled_line", title: text{"Line of a tool is filled", "Werkzeuglinie ist gefüllt"},
		fix: text{"Apply the ink for cutting, creasing or perforating to the stroke of a path, not to a fill, text or image.", "Farbe zum Schneiden, Rillen oder Perforieren der Kontur eines Pfads zuweisen, nicht einer Fläche, einem Text oder Bild."},
		messages: one("{mark:Mark} in {paint:paint} is no line; cutters follow the strokes of paths only.",
			"{mark:Mark} in {paint:paint} ist keine Linie; Schneidsysteme folgen nur den Konturen von Pfaden."),
	},
	{
		id: "packaging.flexible_step", title: text{"Processing step does not fit flexible packaging", "Verarbeitungsschritt passt nicht zu flexibler Verpackung"},
		fix:      text{"Remove the layer, or assign the type of the step that the product needs (ISO 19593-1).", "Ebene entfernen oder ihr den Typ des Schritts zuweisen, den das Produkt braucht (ISO 19593-1)."},
		messages: one("The layer {layer} is for the processing step {type}, which flexible packaging must not have.", "Die Ebene {layer} ist für den Verarbeitungsschritt {type}, den flexible Verpackungen nicht haben dürfen."),
	},
	{
		id: "packaging.ink_mixed", title: text{"Technical ink is mixed with other inks", "Technische Farbe ist mit anderen Farben gemischt"},
		fix: text{"Give the object the technical ink alone, and put the artwork into another object.", "Dem Objekt nur die technische Farbe zuweisen und das Motiv als eigenes Objekt anlegen."},
		messages: one("{mark:Mark} mixes a technical ink with other inks ({paint:paint}); the printer cannot separate them.",
			"{mark:Mark} mischt eine technische Farbe mit anderen Farben ({paint:paint}); die Druckerei kann sie nicht trennen."),
	},
	{
		id: "packaging.label_step", title: text{"Processing step does not fit a label", "Verarbeitungsschritt passt nicht zu einem Etikett"},
		fix:      text{"Remove the layer, or assign the type of the step that the product needs (ISO 19593-1).", "Ebene entfernen oder ihr den Typ des Schritts zuweisen, den das Produkt braucht (ISO 19593-1)."},
		messages: one("The layer {layer} is for the processing step {type}, which labels and leaflets must not have.", "Die Ebene {layer} ist für den Verarbeitungsschritt {type}, den Etiketten und Packungsbeilagen nicht haben dürfen."),
	},
	{
		id: "packaging.layer_mixed", title: text{"Technical ink has no layer of its own", "Technische Farbe hat keine eigene Ebene"},
		fix: text{"Move cutting, creasing, white, varnish and foil to layers without artwork.", "Stanze, Rillung, Weiß, Lack und Folie auf Ebenen ohne Motiv verschieben."},
		messages: map[string]text{
			"mixed": {"The layer {layer} has artwork and the technical inks {inks}.", "Die Ebene {layer} enthält Motiv und die technischen Farben {inks}."},
			"none":  {"The file has layers, but the technical inks {inks} are also used on none.", "Die Datei hat Ebenen, aber die technischen Farben {inks} liegen auch auf keiner."},
		},
	},
	{
		id: "packaging.step_process", title: text{"Layer of a processing step has artwork", "Ebene eines Verarbeitungsschritts enthält Motiv"},
		fix: text{"Draw the processing step in a spot colour of its own that overprints, and move artwork to another layer.", "Verarbeitungsschritt in einer eigenen, überdruckenden Sonderfarbe anlegen und das Motiv auf eine andere Ebene verschieben."},
		messages: one("The layer {layer} is for a processing step ({role:role}), but is drawn in {inks}, which print.",
			"Die Ebene {layer} ist für einen Verarbeitungsschritt ({role:role}), ist aber in {inks} angelegt und wird gedruckt."),
	},
	{
		id: "packaging.step_unknown", title: text{"Processing step is unknown", "Verarbeitungsschritt ist unbekannt"},
		fix: text{"Assign a group and a type of ISO 19593-1 to the layer, or a name with the prefix of a vendor.", "Der Ebene Gruppe und Typ nach ISO 19593-1 zuweisen oder einen Namen mit dem Präfix eines Herstellers."},
		messages: map[string]text{
			"group":     {"The layer {layer} is for a processing step of the unknown group {group:quoted}.", "Die Ebene {layer} ist für einen Verarbeitungsschritt der unbekannten Gruppe {group:quoted}."},
			"type":      {"The layer {layer} is for a processing step of the group {group}, which has no type {type:quoted}.", "Die Ebene {layer} ist für einen Verarbeitungsschritt der Gruppe {group}, die keinen Typ {type:quoted} hat."},
			"ungrouped": {"The layer {layer} states the type {type:quoted} of a processing step, but no group; it counts as artwork.", "Die Ebene {layer} nennt den Typ {type:quoted} eines Verarbeitungsschritts, aber keine Gruppe; sie gilt als Motiv."},
			"untyped":   {"The layer {layer} states the type {type:quoted}, but the group {group} has no types.", "Die Ebene {layer} nennt den Typ {type:quoted}, aber die Gruppe {group} hat keine Typen."},
		},
	},
}
