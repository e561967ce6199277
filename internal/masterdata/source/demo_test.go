// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"testing"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// mustRead reads a valid document.
func mustRead(t *testing.T, name string) *source.Document {
	t.Helper()
	d, err := source.ReadFS(t.Context(), config.FS, name, source.Options{})
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	return d
}

func TestDemoFileMatchesDemoCatalog(t *testing.T) {
	t.Parallel()
	want, err := catalog.Demo()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	d := mustRead(t, config.CatalogFile)
	if d.ID() != want.ID() || d.Level() != source.LevelCatalog || d.Owner() != authority.Platform {
		t.Errorf("%s of %s: %s, want %s", d.Level(), d.Owner(), d.ID(), want.ID())
	}
}

func TestDemoResourcesCoverCommonProducts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		owner          string
		media, devices int
	}{
		config.PlatformResourcesDir: {authority.Platform, 12, 6},
		config.AcmeResourcesDir:     {"org_acme01", 20, 10},
	} {
		t.Run(want.owner, func(t *testing.T) {
			t.Parallel()
			s, err := mustRead(t, name).Authority()
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if s.Owner() != want.owner || s.Count(authority.FamilyMedia) < want.media || s.Count(authority.FamilyDevice) < want.devices {
				t.Errorf("%s has %d media and %d devices", s.Owner(), s.Count(authority.FamilyMedia), s.Count(authority.FamilyDevice))
			}
			processes := map[authority.Process]bool{}
			for _, d := range s.Content().Devices {
				processes[d.Process] = true
			}
			for _, p := range []authority.Process{
				authority.ConventionalPrinting, authority.DigitalPrinting, authority.Cutting, authority.Creasing, authority.Folding,
				authority.Laminating, authority.Stitching, authority.CoverApplication, authority.Trimming,
			} {
				if !processes[p] {
					t.Errorf("no device for process %s", p)
				}
			}
			for _, f := range authority.Families() {
				if s.Count(f) == 0 {
					t.Errorf("no resource of family %s", f)
				}
			}
		})
	}
}

func TestDemoOrganizationHasMediumOfExamples(t *testing.T) {
	t.Parallel()
	s, err := mustRead(t, config.AcmeResourcesDir).Authority()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	m, found := s.Media("acme-silk-135")
	if !found || m.Weight.String() != "135" || m.Width.String() != "700" || m.Height.String() != "1000" || m.Coating != "Coated" {
		t.Errorf("acme-silk-135 = %+v, %v", m, found)
	}
}
