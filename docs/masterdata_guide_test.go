// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
)

const masterDataGuide = "docs/guides/masterdata.md"

func TestTheMasterDataGuideHasEveryColumn(t *testing.T) {
	t.Parallel()
	want := map[string][]string{}
	for _, level := range []mdsource.Level{mdsource.LevelCatalog, mdsource.LevelResources} {
		delete(want, "snapshot") // the header of resources has all that of a catalog has
		for _, c := range mdsource.Columns(level) {
			list, required := c.List, "-"
			if list == "" {
				list = "snapshot"
			}
			if c.Required {
				required = "yes"
			}
			want[list] = append(want[list], c.Path+" | "+c.Kind+" | "+required)
		}
	}
	for list, rows := range want {
		var got []string
		for _, row := range table(t, masterDataGuide, list, "value", "required", "meaning") {
			got = append(got, strings.Join(row[:3], " | "))
		}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%s (-code +guide):\n%s", list, diff)
		}
	}
}

func TestTheMasterDataGuideHasTheBounds(t *testing.T) {
	t.Parallel()
	want := []string{
		fmt.Sprintf("a file | %d MiB", mdsource.MaxFile>>20),
		fmt.Sprintf("the files of a directory | %d MiB", mdsource.MaxTotal>>20),
		"what is sent to the platform | 64 MiB of JSON, 16 MiB compressed",
		fmt.Sprintf("media | %d", authority.MaxMedia),
		fmt.Sprintf("devices | %d", authority.MaxDevices),
		fmt.Sprintf("groups | %d", catalog.MaxGroups),
		fmt.Sprintf("products | %d", catalog.MaxProducts),
		fmt.Sprintf("every other list | %d", authority.MaxOthers),
		fmt.Sprintf("an entry of CSV or YAML | %d bytes", mdsource.MaxEntry),
		fmt.Sprintf("a value | %d bytes", mdsource.MaxScalar),
		fmt.Sprintf("faults that are told | %d", mdsource.MaxFaults),
	}
	if diff := cmp.Diff(want, joined(table(t, masterDataGuide, "bound", "value"))); diff != "" {
		t.Errorf("bounds (-code +guide):\n%s", diff)
	}
	for _, bound := range []string{"importLimit = 16 << 20", "importSize  = 64 << 20"} {
		if !strings.Contains(read(t, "apiserver/platformapi/masterdata.go"), bound) {
			t.Errorf("what is sent is not bounded by %s", bound)
		}
	}
}

func TestTheMasterDataGuideShowsAFaultAsItIsTold(t *testing.T) {
	t.Parallel()
	const media = "id,name,mediaType,width,height,weight,thickness,price.amount,price.per\n"
	_, err := mdsource.ReadFS(t.Context(), fstest.MapFS{
		"snapshot.yaml": {Data: []byte("level: resources\nowner: platform\ncurrency: EUR\nprovenance: {source: x}\npolicy: {bleed: 3, gutter: 4}\n")},
		"media.csv":     {Data: []byte(media + "silk,Silk,Paper,700,1000,135,112,110.50,Sheet\nmug,Mug,Paper,700,1000,135,112,\"110,50\",Sheet\n")},
	}, ".", mdsource.Options{})
	if err == nil || !strings.Contains(read(t, masterDataGuide), "\n"+strings.TrimPrefix(err.Error(), "master data: ")+"\n") {
		t.Errorf("the guide does not show %v", err)
	}
}

func TestTheCommandsOfTheMasterDataGuideHaveTheirFlags(t *testing.T) {
	t.Parallel()
	calls := regexp.MustCompile(`(?m)^printmarket masterdata ([a-z]+) (.*)$`).FindAllStringSubmatch(read(t, masterDataGuide), -1)
	for _, call := range calls {
		help := run(t, "masterdata", call[1], "--help")
		for _, flag := range regexp.MustCompile(`(?:^| )(--?[a-z][a-z-]*)`).FindAllStringSubmatch(call[2], -1) {
			if !strings.Contains(help, flag[1]+" ") && !strings.Contains(help, flag[1]+", --") {
				t.Errorf("masterdata %s has no flag %s", call[1], flag[1])
			}
		}
	}
	if len(calls) < 8 {
		t.Errorf("%d calls found; the pattern is wrong", len(calls))
	}
}
