// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// deviceFaults returns the distinct invalid fields of a device.
func deviceFaults(t *testing.T, d authority.Device) []string {
	t.Helper()
	c := whole()
	c.Devices = []authority.Device{d}
	var fields []string
	for _, fault := range faults(t, c) {
		field := fault[strings.LastIndex(fault, " ")+1:]
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	return fields
}

func TestDeviceFieldsMatchProcess(t *testing.T) {
	t.Parallel()
	type machine = authority.Device
	for name, tc := range map[string]struct {
		process authority.Process
		change  func(*machine)
		want    []string
	}{
		"no process":                         {authority.Creasing, func(d *machine) { d.Process = "" }, []string{"process"}},
		"a process that there isn't":         {authority.Creasing, func(d *machine) { d.Process = "Printing" }, []string{"process"}},
		"no sheet":                           {authority.Creasing, func(d *machine) { d.MaxSheet = authority.Area{} }, []string{"maxSheet.height", "maxSheet.width"}},
		"a sheet of 10 m and a bit":          {authority.Creasing, func(d *machine) { d.MaxSheet.Width = 10_000*money.One + 1 }, []string{"maxSheet.width"}},
		"a smallest sheet above":             {authority.Creasing, func(d *machine) { d.MinSheet = area(1, 701) }, []string{"minSheet"}},
		"a negative smallest sheet":          {authority.Creasing, func(d *machine) { d.MinSheet.Width = -1 }, []string{"minSheet"}},
		"a weight the wrong way round":       {authority.Creasing, func(d *machine) { d.Weight = authority.Range{Min: 2, Max: 1} }, []string{"weight"}},
		"a negative weight":                  {authority.Creasing, func(d *machine) { d.Weight = authority.Range{Min: -1} }, []string{"weight"}},
		"a weight of 2 kg and a bit":         {authority.Creasing, func(d *machine) { d.Weight.Max = 2_000*money.One + 1 }, []string{"weight"}},
		"pages the wrong way round":          {authority.Stitching, func(d *machine) { d.MinPages, d.MaxPages = 8, 4 }, []string{"minPages"}},
		"pages without an end":               {authority.Stitching, func(d *machine) { d.MinPages = 8 }, nil},
		"negative pages":                     {authority.Stitching, func(d *machine) { d.MinPages, d.MaxPages = -1, -1 }, []string{"maxPages", "minPages"}},
		"pages beyond a book":                {authority.Stitching, func(d *machine) { d.MaxPages = 10_001 }, []string{"maxPages"}},
		"standing still":                     {authority.Creasing, func(d *machine) { d.Speed = 0 }, []string{"speed"}},
		"faster than is known":               {authority.Creasing, func(d *machine) { d.Speed = 1_000_000*money.One + 1 }, []string{"speed"}},
		"a set-up of a week":                 {authority.Creasing, func(d *machine) { d.SetupMinutes = 10_081 * money.One }, []string{"setupMinutes"}},
		"more waste than half":               {authority.Creasing, func(d *machine) { d.WastePercent, d.SetupWaste = 50*money.One+1, 100_001 }, []string{"setupWaste", "wastePercent"}},
		"a waste that falls with the number": {authority.Creasing, func(d *machine) { d.WasteFrom, d.WasteThen = []int64{1000, 5000}, []money.Decimal{money.One, 0} }, nil},
		"a waste without a number":           {authority.Creasing, func(d *machine) { d.WasteThen = []money.Decimal{money.One} }, []string{"wasteThen"}},
		"numbers of waste that descend":      {authority.Creasing, func(d *machine) { d.WasteFrom, d.WasteThen = []int64{5000, 1000}, []money.Decimal{0, 0} }, []string{"wasteFrom"}},
		"a waste beyond nothing":             {authority.Creasing, func(d *machine) { d.WasteFrom, d.WasteThen = []int64{0}, []money.Decimal{0} }, []string{"wasteFrom"}},
		"more than half wasted beyond":       {authority.Creasing, func(d *machine) { d.WasteFrom, d.WasteThen = []int64{1}, []money.Decimal{50*money.One + 1} }, []string{"wasteThen"}},
		"eleven steps of waste":              {authority.Creasing, func(d *machine) { d.WasteFrom, d.WasteThen = make([]int64, 11), make([]money.Decimal, 11) }, []string{"wasteThen"}},
		"negative rates":                     {authority.DigitalPrinting, func(d *machine) { d.HourlyRate, d.ClickColor, d.ClickMono = -1, -1, -1 }, []string{"clickColor", "clickMono", "hourlyRate"}},
		"rates beyond bounds":                {authority.DigitalPrinting, func(d *machine) { d.HourlyRate = 1_000_000*money.One + 1 }, []string{"hourlyRate"}},
		"a crew without a trade":             {authority.Creasing, func(d *machine) { d.Labor = "" }, []string{"labor"}},
		"a trade without a crew":             {authority.Creasing, func(d *machine) { d.Crew = 0 }, []string{"labor"}},
		"a negative crew":                    {authority.Creasing, func(d *machine) { d.Crew = -1 }, []string{"crew", "labor"}},
		"power without a tariff":             {authority.Creasing, func(d *machine) { d.Electricity = "" }, []string{"electricity"}},
		"a tariff without power":             {authority.Creasing, func(d *machine) { d.Power = 0 }, []string{"electricity"}},
		"a power station":                    {authority.Creasing, func(d *machine) { d.Power = 10_000*money.One + 1 }, []string{"power"}},
		"neither crew nor power":             {authority.Creasing, func(d *machine) { d.Crew, d.Labor, d.Power, d.Electricity = 0, "", 0, "" }, nil},
		"a maker of two lines":               {authority.Creasing, func(d *machine) { d.Manufacturer, d.Model = "a\n", "b\r" }, []string{"manufacturer", "model"}},
		"a press without a print area":       {authority.ConventionalPrinting, func(d *machine) { d.PrintArea = authority.Area{} }, []string{"printArea", "printArea.height", "printArea.width"}},
		"a press that prints beyond":         {authority.DigitalPrinting, func(d *machine) { d.PrintArea.Width = d.MaxSheet.Width + 1 }, []string{"printArea.width"}},
		"a press that prints everywhere":     {authority.DigitalPrinting, func(d *machine) { d.PrintArea = d.MaxSheet }, nil},
		"a press without colours":            {authority.DigitalPrinting, func(d *machine) { d.Colors = 0 }, []string{"colors"}},
		"a press of 17 colours":              {authority.DigitalPrinting, func(d *machine) { d.Colors = 17 }, []string{"colors"}},
		"negative colours":                   {authority.DigitalPrinting, func(d *machine) { d.Colors = -1 }, []string{"colors"}},
		"offset without a plate":             {authority.ConventionalPrinting, func(d *machine) { d.Plate = "" }, []string{"plate"}},
		"offset by the click":                {authority.ConventionalPrinting, func(d *machine) { d.ClickColor, d.ClickMono = 1, 1 }, []string{"clickColor", "clickMono"}},
		"offset with all there is":           {authority.ConventionalPrinting, func(d *machine) { d.Perfecting, d.Coater = true, true }, nil},
		"digital with a plate":               {authority.DigitalPrinting, func(d *machine) { d.Plate, d.Coater = "plate", true }, []string{"coater", "plate"}},
		"digital by the click":               {authority.DigitalPrinting, func(d *machine) { d.ClickColor, d.ClickMono, d.Perfecting = 2, 1, true }, nil},
		"a folder that prints":               {authority.Folding, func(d *machine) { d.PrintArea, d.Colors, d.Perfecting = area(1, 1), 4, true }, []string{"colors", "perfecting", "printArea"}},
		"a guillotine without a stack":       {authority.Cutting, func(d *machine) { d.StackHeight = 0 }, []string{"stackHeight"}},
		"a stack of a metre and a bit":       {authority.Cutting, func(d *machine) { d.StackHeight = 1_000*money.One + 1 }, []string{"stackHeight"}},
		"a stack on a folder":                {authority.Folding, func(d *machine) { d.StackHeight = money.One }, []string{"stackHeight"}},
		"a binder without glue":              {authority.CoverApplication, func(d *machine) { d.Adhesive = "" }, []string{"adhesive"}},
		"glue on a stitcher":                 {authority.Stitching, func(d *machine) { d.Adhesive = "glue" }, []string{"adhesive"}},
		"any fold that is known":             {authority.Folding, func(d *machine) { d.Folds = nil }, nil},
		"invalid folds":                      {authority.Folding, func(d *machine) { d.Folds = []string{"F4-1", "4-1"} }, []string{"folds"}},
		"a fold of two lines":                {authority.Folding, func(d *machine) { d.Folds = []string{"F4-1\n"} }, []string{"folds"}},
		"folds beyond number":                {authority.Folding, func(d *machine) { d.Folds = slices.Repeat([]string{"F4-1"}, 101) }, []string{"folds"}},
		"folds on a guillotine":              {authority.Cutting, func(d *machine) { d.Folds = []string{"F4-1"} }, []string{"folds"}},
		"corners alone":                      {authority.ShapeCutting, func(d *machine) { d.Shapes = []string{"RoundedRectangle"} }, nil},
		"a die cutter":                       {authority.ShapeCutting, func(d *machine) { d.Shapes, d.Strips = []string{"Path"}, true }, nil},
		"a shape that does not exist":        {authority.ShapeCutting, func(d *machine) { d.Shapes = []string{"Star"} }, []string{"shapes"}},
		"stripping without a die":            {authority.ShapeCutting, func(d *machine) { d.Strips = true }, []string{"strips"}},
		"variable data":                      {authority.DigitalPrinting, func(d *machine) { d.VariableSpeed = d.Speed }, nil},
		"variable data faster than others":   {authority.DigitalPrinting, func(d *machine) { d.VariableSpeed = d.Speed + 1 }, []string{"variableSpeed"}},
		"variable data on a folder":          {authority.Folding, func(d *machine) { d.VariableSpeed = money.One }, []string{"variableSpeed"}},
		"casing in without a block":          {authority.CasingIn, func(d *machine) { d.Block = authority.Range{} }, []string{"block"}},
		"a block the wrong way round":        {authority.CasingIn, func(d *machine) { d.Block = authority.Range{Min: 2, Max: 1} }, []string{"block"}},
		"a shape twice":                      {authority.ShapeCutting, func(d *machine) { d.Shapes = []string{"Round", "Round"} }, []string{"shapes"}},
		"shapes on a folder":                 {authority.Folding, func(d *machine) { d.Shapes = []string{"Round"} }, []string{"shapes"}},
		"embossing without a type":           {authority.Embossing, func(d *machine) { d.EmbossingTypes = nil }, []string{"embossingTypes"}},
		"embossing of an unknown type":       {authority.Embossing, func(d *machine) { d.EmbossingTypes = []string{"Foil"} }, []string{"embossingTypes"}},
		"a machine that glues jackets":       {authority.Jacketing, func(d *machine) { d.Adhesive = "glue" }, nil},
		"a jacket with an unknown glue":      {authority.Jacketing, func(d *machine) { d.Adhesive = "nothing" }, []string{"adhesive"}},
		"a folder that glues":                {authority.Folding, func(d *machine) { d.Adhesive = "glue" }, []string{"adhesive"}},
		"wire and coils":                     {authority.LooseBinding, func(d *machine) { d.BindingTypes = []string{"WireComb", "CoilBinding"} }, nil},
		"loose binding without a type":       {authority.LooseBinding, func(d *machine) { d.BindingTypes = nil }, []string{"bindingTypes"}},
		"loose binding with glue":            {authority.LooseBinding, func(d *machine) { d.BindingTypes = []string{"SoftCover"} }, []string{"bindingTypes"}},
		"a perforator that embosses":         {authority.Perforating, func(d *machine) { d.EmbossingTypes = []string{"Braille"} }, []string{"embossingTypes"}},
		"a reference to an unknown record":   {authority.Creasing, func(d *machine) { d.Labor, d.Electricity = "unknown-labor", "nothing" }, []string{"electricity", "labor"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := device(tc.process)
			tc.change(&d)
			if diff := cmp.Diff(tc.want, deviceFaults(t, d)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryProcessHasValidDevice checks also that its fields are invalid for most other
// processes.
func TestEveryProcessHasValidDevice(t *testing.T) {
	t.Parallel()
	// plain processes require no fields of their own; a folder may do any fold.
	plain := func(p authority.Process) bool {
		return !p.Printing() && p != authority.Cutting && p != authority.CoverApplication && p != authority.Folding && p != authority.Embossing && p != authority.LooseBinding && p != authority.CasingIn
	}
	for _, process := range authority.Processes() {
		if got := deviceFaults(t, device(process)); got != nil {
			t.Errorf("%s: %v", process, got)
		}
		for _, other := range authority.Processes() {
			// A device for Jacketing may have an adhesive, which CoverApplication requires.
			glues := process == authority.CoverApplication && other == authority.Jacketing
			passes := other == process || glues || plain(process) && (plain(other) || other == authority.Folding)
			d := device(process)
			d.Process = other
			if got := deviceFaults(t, d); passes != (got == nil) {
				t.Errorf("a device for %s is also valid for %s: %v", process, other, got)
			}
		}
	}
}
