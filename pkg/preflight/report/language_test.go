// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestLocalizeTranslatesMessagesWithParameters(t *testing.T) {
	t.Parallel()
	english := full()
	german := report.Localize(english, "de")
	last := len(german.Findings) - 1
	want := "Der Beschnitt ist zu klein (oben und links): an der schmalsten Kante 1,5 mm; nötig sind mindestens 3 mm (Toleranz ±0,1 mm)."
	if f := german.Findings[last]; german.Language != "de" || f.Message != want || !strings.HasPrefix(f.FixHint, "Flächen und Bilder") {
		t.Errorf("language %s, finding %+v, want %q", german.Language, f, want)
	}
	// Findings without an id of a message keep their texts.
	if diff := cmp.Diff(english.Findings[:last], german.Findings[:last]); diff != "" {
		t.Errorf("other findings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(full(), english); diff != "" {
		t.Errorf("Localize changed its argument (-want +got):\n%s", diff)
	}
	if back := report.Localize(german, "en"); back.Language != "en" || back.Findings[last].Message != english.Findings[last].Message {
		t.Errorf("back in English: language %s, finding %+v", back.Language, back.Findings[last])
	}
}

func TestLocalizeKeepsTextsThatItCannotTranslate(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*report.Finding){
		"an unknown message":  func(f *report.Finding) { f.MessageID = "box.of_a_later_version" },
		"a missing parameter": func(f *report.Finding) { f.Parameters = nil },
		"an unknown term":     func(f *report.Finding) { f.Parameters["edges"] = []string{"inside"} },
	} {
		r := full()
		last := len(r.Findings) - 1
		change(&r.Findings[last])
		if got := report.Localize(r, "de").Findings[last]; got.Message != full().Findings[last].Message {
			t.Errorf("%s: message %q, want the stored one", name, got.Message)
		}
	}
}

func TestReportOfVersion10StaysEnglish(t *testing.T) {
	t.Parallel()
	r := full()
	r.Version, r.Language = "1.0", ""
	r.Findings = r.Findings[:3]
	if diff := cmp.Diff(r, report.Localize(r, "de")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	data, err := report.Encode(r)
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	if _, err := report.Decode(data); err != nil {
		t.Errorf("a report of version 1.0 is rejected: %v", err)
	}
}

func TestDecodeChecksTheNewMembers(t *testing.T) {
	t.Parallel()
	valid, err := report.Encode(full())
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	const edges = `"edges":["top","left"]`
	long := fmt.Sprintf(`"%s"`, strings.Repeat("x", 5000))
	for name, change := range map[string][2]string{
		"an unknown language":       {`"language":"en"`, `"language":"tlh"`},
		"a long messageId":          {`"messageId":"box.bleed_short"`, `"messageId":` + long},
		"a messageId of a number":   {`"messageId":"box.bleed_short"`, `"messageId":7`},
		"parameters of a list":      {edges, `"edges":[["top"]]`},
		"a parameter of null":       {edges, `"edges":null`},
		"a parameter of an object":  {edges, `"edges":{"top":1}`},
		"a parameter of a truth":    {edges, `"edges":true`},
		"a list of numbers":         {edges, `"edges":[1]`},
		"a long list":               {edges, `"edges":["a"` + strings.Repeat(`,"a"`, 20) + `]`},
		"a long parameter":          {edges, `"edges":` + long},
		"the name of a parameter":   {edges, `"Edges!":"top"`},
		"a long name":               {edges, `"` + strings.Repeat("e", 41) + `":"top"`},
		"many parameters":           {edges, many(21)},
		"a tolerance that is text":  {`"tolerance":1}`, `"tolerance":"1"}`},
		"a version of another form": {`"reportVersion":"1.1"`, `"reportVersion":"1.1x"`},
	} {
		text := strings.Replace(string(valid), change[0], change[1], 1)
		if text == string(valid) {
			t.Errorf("%s: %s is not in the report", name, change[0])
		}
		if _, err := report.Decode([]byte(text)); !errors.Is(err, report.ErrInvalid) {
			t.Errorf("%s: error = %v, want ErrInvalid", name, err)
		}
	}
	later := strings.Replace(string(valid), `"reportVersion":"1.1"`, `"reportVersion":"1.2"`, 1)
	if _, err := report.Decode([]byte(later)); err != nil {
		t.Errorf("version 1.2 with the members of 1.1: %v", err)
	}
}

// many returns an object with n members as JSON.
func many(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"p%d":1`, i)
	}
	return strings.Join(members, ",")
}

func TestParametersKeepTheirTypes(t *testing.T) {
	t.Parallel()
	want := report.Parameters{"name": "A", "value": 1.5, "inks": []string{"C 10 %", "K 5 %"}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	var got report.Parameters
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMeasuredStatesTheLimitInWords(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]string{
		">=": "measured 12 pt; minimum 10 pt", "<=": "measured 12 pt; maximum 10 pt", ">": "measured 12 pt; applies up to 10 pt",
		"=": "found 12 pt; expected 10 pt", "multiple of": "found 12 pt; expected a multiple of 10", "?": "measured 12 pt",
	} {
		f := report.Finding{Measured: &report.Measure{Value: 12, Unit: "pt"}, Threshold: &report.Threshold{Op: op, Value: 10, Unit: "pt"}}
		if got := report.Measured("en", &f); got != want {
			t.Errorf("%s: got %q, want %q", op, got, want)
		}
		f.MessageID = "text.small"
		if got := report.Measured("en", &f); got != "" {
			t.Errorf("%s: got %q for a message that contains the value", op, got)
		}
	}
}
