// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func Example() {
	v := vocabulary.Load()

	intent := v.Element("MediaIntent")
	weight := intent.Attribute("Weight")
	fmt.Println(intent.Name, "is in clause", intent.Clause)
	fmt.Println(weight.Name, "is a", weight.Type, "in", weight.Unit)

	mediaType := intent.Attribute("MediaType")
	fmt.Println("required:", mediaType.Required, "closed:", mediaType.Values.Closed)
	if !mediaType.Values.Has("paper") {
		meant, _ := mediaType.Values.Nearest("paper")
		fmt.Println("paper? did you mean", meant)
	}

	// Output:
	// MediaIntent is in clause 4.11
	// Weight is a float in gsm
	// required: true closed: true
	// paper? did you mean Paper
}

func ExampleVocabulary_Process() {
	printing, _ := vocabulary.Load().Process("DigitalPrinting")
	for _, needed := range printing.Inputs {
		fmt.Println(needed.Resource)
	}
	// Output:
	// Component
	// DigitalPrintingParams
	// RunList
}

func ExampleVocabulary_StatusDetails() {
	node, device, _ := vocabulary.Load().StatusDetails("PaperJam")
	fmt.Println("the job is", node, "and the device is", device)
	// Output: the job is Stopped and the device is Stopped
}
