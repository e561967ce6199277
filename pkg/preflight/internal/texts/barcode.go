// SPDX-License-Identifier: Apache-2.0

package texts

// barcodes holds the texts of the rules about bar codes and matrix codes.
var barcodes = []rule{
	{
		id: "barcode.bar_inks", title: text{"Bars of a code are printed in several inks", "Balken eines Codes drucken in mehreren Farben"},
		fix:      text{"Use one dark ink for the bars, black if possible, so that misregister does not blur them.", "Für die Balken eine einzige dunkle Farbe verwenden, am besten Schwarz, damit Passerdifferenzen sie nicht unscharf machen."},
		messages: one("The bars of the {code} {text} are printed in {value} inks: {inks}; at most {limit} is recommended.", "Die Balken des Codes {code} {text} drucken in {value} Farben: {inks}; empfohlen ist höchstens {limit}."),
	},
	{
		id: "barcode.contrast", title: text{"Contrast of a code is too low", "Kontrast eines Codes ist zu gering"},
		fix: text{"Use black, dark blue or dark green bars on a white or light background; scanners see red, orange and yellow as white.", "Schwarze, dunkelblaue oder dunkelgrüne Balken auf weißem oder hellem Grund verwenden; Scanner sehen Rot, Orange und Gelb als Weiß."},
		messages: map[string]text{
			"": {
				"In the red light of scanners, the bars of the {code} {text} have a contrast of {value} %; the minimum is {limit} %.",
				"Im roten Licht der Scanner haben die Balken des Codes {code} {text} einen Kontrast von {value} %; nötig sind mindestens {limit} %.",
			},
			"reversed": {
				"The bars of the {code} {text} are lighter than their background; scanners need dark bars on a light background.",
				"Die Balken des Codes {code} {text} sind heller als ihr Grund; Scanner brauchen dunkle Balken auf hellem Grund.",
			},
		},
	},
	{
		id: "barcode.quiet_zone", title: text{"Quiet zone of a code is too small", "Ruhezone eines Codes ist zu klein"},
		fix: text{"Move other objects away from the code, or place the code on a larger light area.", "Andere Objekte vom Code entfernen oder den Code auf eine größere helle Fläche stellen."},
		messages: map[string]text{
			"before": {"Before the first bar of the {code} {text}, only {width_mm} mm ({modules} modules) are free; {needed_mm} mm ({needed}) are needed.", "Vor dem ersten Balken des Codes {code} {text} sind nur {width_mm} mm ({modules} Module) frei; nötig sind {needed_mm} mm ({needed})."},
			"after":  {"After the last bar of the {code} {text}, only {width_mm} mm ({modules} modules) are free; {needed_mm} mm ({needed}) are needed.", "Nach dem letzten Balken des Codes {code} {text} sind nur {width_mm} mm ({modules} Module) frei; nötig sind {needed_mm} mm ({needed})."},
			"around": {"Around the {code} {text}, only {width_mm} mm ({modules} modules) are free; {needed_mm} mm ({needed}) are needed.", "Um den Code {code} {text} sind nur {width_mm} mm ({modules} Module) frei; nötig sind {needed_mm} mm ({needed})."},
		},
	},
	{
		id: "barcode.size", title: text{"Size of a code is out of range", "Größe eines Codes liegt außerhalb des Bereichs"},
		fix: text{"Scale the code so that its narrowest bar is in the range, and take the bar width reduction of the printer into account.", "Code so skalieren, dass der schmalste Balken im Bereich liegt, und die Balkenbreitenreduktion der Druckerei berücksichtigen."},
		messages: map[string]text{
			"small": {"The narrowest bar of the {code} {text} is {module_mm} mm; the minimum is {least_mm} mm.", "Der schmalste Balken des Codes {code} {text} misst {module_mm} mm; nötig sind mindestens {least_mm} mm."},
			"large": {"The narrowest bar of the {code} {text} is {module_mm} mm; the maximum is {most_mm} mm.", "Der schmalste Balken des Codes {code} {text} misst {module_mm} mm; zulässig sind höchstens {most_mm} mm."},
		},
	},
	{
		id: "barcode.unreadable", title: text{"Code cannot be decoded", "Code lässt sich nicht entschlüsseln"},
		fix:      text{"Create the code again with a current generator; its check digit or its bars are wrong, or something covers it.", "Code mit einem aktuellen Generator neu erzeugen; Prüfziffer oder Balken sind falsch, oder etwas verdeckt ihn."},
		messages: one("A code with the structure of {code} cannot be decoded.", "Ein Code mit dem Aufbau von {code} lässt sich nicht entschlüsseln."),
	},
}
