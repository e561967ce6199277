// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

// knownDifference is a place where the tables differ from the schema, with the reason. Elsewhere
// they agree on names, datatypes, required members, closed lists, numbers of children and
// their order.
type knownDifference struct {
	difference

	why string
}

var knownDifferences = map[string]knownDifference{
	"BinderySignature/@FoldCatalog": {
		difference{"NMTOKEN /F[0-9]+-([0-9]+|X)/", "NMTOKEN"},
		"A.3.8 is an open list: another catalogue may be used, so a value of another form is not wrong.",
	},
	"ColorMeasurementConditions/@DensityStandard": {
		difference{"NMTOKEN", "enumeration ANSIA ANSIE ANSII ANSIT DIN16536 DIN16536NB"},
		"8.10 lists the allowed values.",
	},
	"CommandRequestQueueEntry/RequestQueueEntryParams": {
		difference{"0..1", "1..1"},
		"Table 7.45 requires it.",
	},
	"CommandShutDown/ShutDownCmdParams": {
		difference{"1..1", "0..1"},
		"Table 7.61 has it optional.",
	},
	"Condition/@PartContext": {
		difference{"NMTOKEN", "NMTOKENS"},
		"8.12: a list of names.",
	},
	"DCTParams/@HuffTable": {
		difference{"string", "FloatList"},
		"8.27.2: numbers.",
	},
	"DCTParams/@QuantTable": {
		difference{"string", "FloatList"},
		"8.27.2: numbers.",
	},
	"Device/@JDFVersions": {
		difference{"enumerations 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 2.0 2.1 2.2", "enumerations 1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 2.0 2.1 2.2"},
		"A.2.26 begins with 1.0.",
	},
	"FoldingIntent/@FoldCatalog": {
		difference{"NMTOKEN /F[0-9]+-([0-9]+|X)/", "NMTOKEN"},
		"A.3.8 is an open list: another catalogue may be used, so a value of another form is not wrong.",
	},
	"FoldingParams/@FoldCatalog": {
		difference{"NMTOKEN /F[0-9]+-([0-9]+|X)/", "NMTOKEN"},
		"A.3.8 is an open list: another catalogue may be used, so a value of another form is not wrong.",
	},
	"GluingParams/@GluingProductionID": {
		difference{"string", "NMTOKEN"},
		"Table 6.76.",
	},
	"JobPhase/@RelatedJobID": {
		difference{"NMTOKEN", "string"},
		"Tables 7.69 and 8.54: a string.",
	},
	"JobPhase/@RelatedJobPartID": {
		difference{"NMTOKEN", "string"},
		"Tables 7.69 and 8.54: a string.",
	},
	"JobPhase/@TotalAmount": {
		difference{"", "float"},
		"Table 7.69, new in 2.2.",
	},
	"LayoutIntent/@Sides": {
		difference{"enumeration OneSided OneSidedBack TwoSidedHeadToFoot TwoSidedHeadToHead", "enumeration OneSided OneSidedBack TwoSidedHeadToFoot TwoSidedHeadToHead Unprinted"},
		"A.2.40: Unprinted is new in 2.1.",
	},
	"Media/@BackISOPaperSubstrate": {
		difference{"enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 SCPlus SCStandard SNP", "enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 PS9 SCPlus SCStandard SNP"},
		"A.2.25: PS9 is new in 2.2.",
	},
	"Media/@ID": {
		difference{"", "string"},
		"An extension of this service.",
	},
	"Media/@ISOPaperSubstrate": {
		difference{"enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 SCPlus SCStandard SNP", "enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 PS9 SCPlus SCStandard SNP"},
		"A.2.25: PS9 is new in 2.2.",
	},
	"Media/@MediaType": {
		difference{"enumeration required Blanket CorrugatedBoard Disc EmbossingFoil Film Foil GravureCylinder ImagingCylinder LaminatingFoil MountingTape Other Paper Plate Screen SelfAdhesive ShrinkFoil Sleeve Textile Transparency Vinyl", "enumeration required Blanket CorrugatedBoard Disc EmbossingFoil Film Foil GravureCylinder ImagingCylinder LaminatingFoil MountingTape Other Paper Plate Screen SelfAdhesive ShrinkFoil Sleeve Synthetic Textile Transparency Vinyl"},
		"A.2.29: Synthetic is new in 2.1.",
	},
	"MediaIntent/@BackISOPaperSubstrate": {
		difference{"enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 SCPlus SCStandard SNP", "enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 PS9 SCPlus SCStandard SNP"},
		"A.2.25: PS9 is new in 2.2.",
	},
	"MediaIntent/@ISOPaperSubstrate": {
		difference{"enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 SCPlus SCStandard SNP", "enumeration LWCPlus LWCStandard NewsPlus PS1 PS2 PS3 PS4 PS5 PS6 PS7 PS8 PS9 SCPlus SCStandard SNP"},
		"A.2.25: PS9 is new in 2.2.",
	},
	"MediaIntent/@MediaType": {
		difference{"enumeration required Blanket CorrugatedBoard Disc EmbossingFoil Film Foil GravureCylinder ImagingCylinder LaminatingFoil MountingTape Other Paper Plate Screen SelfAdhesive ShrinkFoil Sleeve Textile Transparency Vinyl", "enumeration required Blanket CorrugatedBoard Disc EmbossingFoil Film Foil GravureCylinder ImagingCylinder LaminatingFoil MountingTape Other Paper Plate Screen SelfAdhesive ShrinkFoil Sleeve Synthetic Textile Transparency Vinyl"},
		"A.2.29: Synthetic is new in 2.1.",
	},
	"ProductionIntent/@PrintProcess": {
		difference{"NMTOKEN", "NMTOKENS"},
		"4.12: several values ask for hybrid printing.",
	},
	"QualityControlParams/@QualityBase": {
		difference{"enumeration Absolute Standard", "enumeration Absolute Master Standard"},
		"Table 6.137 has Master; Standard stays readable.",
	},
	"QueryQueueStatus/QueueStatusParams": {
		difference{"0..1", "1..1"},
		"Table 7.40 requires it.",
	},
	"QueueEntry/@RelatedJobID": {
		difference{"NMTOKEN", "string"},
		"Tables 7.69 and 8.54: a string.",
	},
	"QueueEntry/@RelatedJobPartID": {
		difference{"NMTOKEN", "string"},
		"Tables 7.69 and 8.54: a string.",
	},
	"RunList/@Docs": {
		difference{"IntegerList", "IntegerRange"},
		"Table 6.148: a range.",
	},
	"SignalResource/@ReplaceAfter": {
		difference{"", "dateTime"},
		"Tables 7.54 and 7.71.",
	},
	"SignalResource/@ReplaceBefore": {
		difference{"", "dateTime"},
		"Tables 7.54 and 7.71.",
	},
	"SignalStatus/@ReplaceAfter": {
		difference{"", "dateTime"},
		"Tables 7.54 and 7.71.",
	},
	"SignalStatus/@ReplaceBefore": {
		difference{"", "dateTime"},
		"Tables 7.54 and 7.71.",
	},
	"SignatureCell/@Sides": {
		difference{"enumeration OneSided OneSidedBack TwoSidedHeadToFoot TwoSidedHeadToHead", "enumeration OneSided OneSidedBack TwoSidedHeadToFoot TwoSidedHeadToHead Unprinted"},
		"A.2.40: Unprinted is new in 2.1.",
	},
	"StackingParams/InsertSheet": {
		difference{"", "0..*"},
		"Table 6.166: it moved here from Disjointing in 2.1.",
	},
	"StatusQuParams/@JobID": {
		difference{"NMTOKEN", "string"},
		"Table 7.65: a string.",
	},
	"StatusQuParams/@JobPartID": {
		difference{"NMTOKEN", "string"},
		"Table 7.65: a string.",
	},
	"TabDimensions/@TabSetCollationOrder": {
		difference{"enumeration Forward Reverse", "NMTOKEN"},
		"Table 6.115: a name token.",
	},
	"Tool/@Manufacturer": {
		difference{"", "string"},
		"Table 6.174, new in 2.2.",
	},
	"Tool/@ManufacturerURL": {
		difference{"", "URL"},
		"Table 6.174, new in 2.2.",
	},
}
