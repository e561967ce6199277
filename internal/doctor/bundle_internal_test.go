// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func TestSupportArchiveOmitsSecretsAndListsMissingParts(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("ab", 32)
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: "acme", Annotations: map[string]string{"last-applied": digest}}}
	partner.Spec.OrganizationID = "org_acme01"
	partner.Spec.Keys = []v1alpha1.APIKey{{Name: "live", SHA256: digest}}
	partner.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "main", SPKISHA256: digest}}
	partner.Spec.Webhooks = []v1alpha1.Webhook{{Name: "mis", URL: "https://mis.acme.example/hooks/s3cret?token=s3cret"}}
	partner.Status.RevokedKeys = []string{digest}
	redactPartner(&partner)
	var archive bytes.Buffer
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	err := WriteBundle(t.Context(), &archive, now, time.Minute, []Source{
		Facts("partner.json", partner),
		{"readyz.json", func(context.Context) ([]byte, error) {
			return nil, errors.New("dial postgres://market:s3cret@db/market: refused")
		}},
	})
	if err != nil {
		t.Fatalf("WriteBundle: %v", err)
	}
	got := map[string]string{}
	packed, err := gzip.NewReader(&archive)
	if err != nil {
		t.Fatalf("gzip.NewReader: %v", err)
	}
	for files := tar.NewReader(packed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("files.Next: %v", err)
		}
		content, err := io.ReadAll(files)
		if err != nil || !header.ModTime.Equal(now) {
			t.Errorf("%s of %s: %v", header.Name, header.ModTime, err)
		}
		got[header.Name] = string(content)
	}
	for name, content := range got {
		if strings.Contains(content, digest) || strings.Contains(content, "s3cret") {
			t.Errorf("%s has a secret:\n%s", name, content)
		}
	}
	var read v1alpha1.PartnerEntitlement
	if err := json.Unmarshal([]byte(got["printmarket-support/partner.json"]), &read); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	want := []string{"acme", "org_acme01", "[redacted]", "https://mis.acme.example/[redacted]"}
	if diff := cmp.Diff(want, []string{read.Name, read.Spec.OrganizationID, read.Spec.Keys[0].SHA256, read.Spec.Webhooks[0].URL}); diff != "" {
		t.Errorf("partner (-want +got):\n%s", diff)
	}
	if text := got["printmarket-support/readyz.json.error"]; !strings.Contains(text, "refused") {
		t.Errorf("the source that fails has the file %q", text)
	}
}

func TestImminentExpiryIsAWarning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	at := func(days int) *metav1.Time { return new(metav1.NewTime(now.AddDate(0, 0, days))) }
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}
	partner.Spec.Contract = &v1alpha1.Contract{EffectiveUntil: at(3)}
	partner.Spec.Keys = []v1alpha1.APIKey{
		{Name: "soon", State: v1alpha1.KeyStateActive, ExpiresAt: at(13)},
		{Name: "later", State: v1alpha1.KeyStateActive, ExpiresAt: at(15)},
		{Name: "revoked", State: v1alpha1.KeyStateRevoked, ExpiresAt: at(1)},
		{Name: "expired", State: v1alpha1.KeyStateActive, ExpiresAt: at(-1)},
	}
	partner.Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "rfq-create", NotAfter: at(7)}}
	partner.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "main", NotAfter: at(2)}}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Name: "preflight"}}
	rollout.Spec.Schedule = &v1alpha1.Schedule{NotAfter: at(5)}
	sender := v1alpha1.XJMFSender{ObjectMeta: metav1.ObjectMeta{Name: "mis"}}
	sender.Spec.Secrets = []v1alpha1.SharedSecret{{Name: "only", NotAfter: at(14)}}
	found := ending([]v1alpha1.PartnerEntitlement{partner}, []v1alpha1.CapabilityRollout{rollout}, []v1alpha1.XJMFSender{sender}, now)
	want := "certificate main of acme on 2026-11-28, contract of acme on 2026-11-29, schedule of preflight on 2026-12-01, " +
		"grant rfq-create of acme on 2026-12-03, key soon of acme on 2026-12-09, secret only of mis on 2026-12-10"
	if found.Severity != Warning || !strings.Contains(found.Detail, want) {
		t.Errorf("finding %+v, want a warning with %q", found, want)
	}
	if found := ending(nil, nil, nil, now); found.Severity != OK {
		t.Errorf("finding %+v, want ok", found)
	}
}
