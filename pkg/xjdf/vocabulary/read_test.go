// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"errors"
	"maps"
	"testing"
	"testing/fstest"
)

// sound returns tables without a mistake; each case adds one.
func sound() map[string]string {
	return map[string]string{
		listFile:                 "Side closed A.2.39\n  Back Front\nStatus closed A.2.45\n  Waiting\nDeviceStatus closed A.2.14\n  Idle\n",
		"tables/structure.txt":   "XJDF 3.1\n  @JobID! NMTOKEN\n  Media*\nXJMF 7.1\n  XJDF?\n",
		"tables/intents.txt":     "",
		"tables/resources.txt":   "Media 6.57 resource\n  @Weight float [gsm] 0.. # grams\n",
		"tables/messages.txt":    "",
		"tables/subelements.txt": "",
		processFile:              "Folding 5.6.15\n  in Media\n",
		statusFile:               "A.77\n  Good Waiting Idle\n",
	}
}

func TestMistakesInTablesAreReported(t *testing.T) {
	t.Parallel()
	for sentence, tc := range map[string]struct {
		file, text string
		want       error
	}{
		"an element without a clause":                 {"tables/structure.txt", "XJDF\n", errHead},
		"an element that is there twice":              {"tables/structure.txt", "XJDF 3.1\nXJDF 3.1\n", errDuplicate},
		"an attribute that is there twice":            {"tables/structure.txt", "XJDF 3.1\n  @A string\n  @A string\n", errDuplicate},
		"a child that is there twice":                 {"tables/structure.txt", "XJDF 3.1\n  Media\n  Media*\n", errDuplicate},
		"a child that is nowhere":                     {"tables/structure.txt", "XJDF 3.1\n  Paper\n", errUnknown},
		"an invalid kind":                             {"tables/structure.txt", "XJDF 3.1\n  <thing>?\n", errUnknown},
		"an invalid trait":                            {"tables/structure.txt", "XJDF 3.1 loud\n", errWord},
		"an attribute without a datatype":             {"tables/structure.txt", "XJDF 3.1\n  @A\n", errHead},
		"an invalid datatype":                         {"tables/structure.txt", "XJDF 3.1\n  @A number\n", errUnknown},
		"an invalid unit":                             {"tables/structure.txt", "XJDF 3.1\n  @A float [mm]\n", errUnknown},
		"an invalid list":                             {"tables/structure.txt", "XJDF 3.1\n  @A NMTOKEN ~ Edge\n", errUnknown},
		"an open list that is called closed":          {"tables/structure.txt", "XJDF 3.1\n  @A NMTOKEN ~ Side\n", errWord},
		"an invalid target":                           {"tables/structure.txt", "XJDF 3.1\n  @A IDREF -> Paper\n", errUnknown},
		"a word that says nothing":                    {"tables/structure.txt", "XJDF 3.1\n  @A float perhaps\n", errWord},
		"an element before its head":                  {"tables/structure.txt", "  @A float\nXJDF 3.1\n", errHead},
		"a list without values":                       {listFile, "Side closed A.2.39\n", errEmpty},
		"a list that is neither open nor closed":      {listFile, "Side ajar A.2.39\n  Back\n", errWord},
		"a value that is there twice":                 {listFile, "Side closed A.2.39\n  Back Back\n", errDuplicate},
		"a list that is there twice":                  {listFile, "Side closed A\n  Back\nSide closed A\n  Back\n", errDuplicate},
		"a word with an invalid value":                {listFile, "Side closed A\n  Back\n  = Rear Tail\n", errUnknown},
		"a list without a clause":                     {listFile, "Side closed\n  Back\n", errHead},
		"a process that requires an unknown resource": {processFile, "Folding 5.6.15\n  in XJDF\n", errUnknown},
		"a process that is there twice":               {processFile, "Folding 5\nFolding 5\n", errDuplicate},
		"a process without a clause":                  {processFile, "Folding\n", errHead},
		"a process that does something else":          {processFile, "Folding 5\n  takes Media\n", errWord},
		"an invalid status of a job":                  {statusFile, "A.77\n  Good Ready Idle\n", errUnknown},
		"an invalid status of a device":               {statusFile, "A.77\n  Good Waiting Ready\n", errUnknown},
		"a detail without a status of a device":       {statusFile, "A.77\n  Good Waiting\n", errWord},
		"a detail that is there twice":                {statusFile, "A.77\n  Good - Idle\n  Good - Idle\n", errDuplicate},
		"invalid numbers of children":                 {"tables/structure.txt", "XJDF 3.1\n  Media{some}\n", nil},
		"bounds that are no numbers":                  {"tables/structure.txt", "XJDF 3.1\n  @A float low..high\n", nil},
		"an invalid number of items":                  {"tables/structure.txt", "XJDF 3.1\n  @A IDREFS some+\n", nil},
		"a form of values that is no expression":      {listFile, "Side closed A\n  / (\n", nil},
		"an upper bound that is no number by itself":  {"tables/structure.txt", "XJDF 3.1\n  @A float 1..high\n", nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			files := sound()
			files[tc.file] = tc.text
			_, err := read(filesystem(files))
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestValidTablesAreRead(t *testing.T) {
	t.Parallel()
	v, err := read(filesystem(sound()))
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if w := v.Element("Media").Attribute("Weight"); w.Unit != GramsPerSquareMetre || w.Bounds.Min != 0 {
		t.Errorf("got %+v", w)
	}
}

func TestEveryTableIsNeeded(t *testing.T) {
	t.Parallel()
	for name := range maps.Keys(sound()) {
		files := sound()
		delete(files, name)
		if _, err := read(filesystem(files)); err == nil {
			t.Errorf("no error for the missing %s", name)
		}
	}
}

func filesystem(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}
