// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestProfilesAreListedAndLeadToTheirThresholds(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var list struct {
		Items []struct {
			Name, Digest string
			Links        struct{ Self string }
		}
	}
	get(t, server, "acme-live", "/api/v1/preflight/profiles").Want(t, 200, "").Into(t, &list)
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Name)
		known, err := profile.Lookup(item.Name)
		if err != nil {
			t.Fatalf("profile.Lookup: %v", err)
		}
		var one struct {
			Digest string
			Rules  []struct {
				Rule, Source string
				Limit        *float64
			}
		}
		get(t, server, "acme-live", item.Links.Self).Want(t, 200, "").Into(t, &one)
		if one.Digest != known.Digest || item.Digest != known.Digest || len(one.Rules) != len(known.Rules) {
			t.Errorf("%s: digest %s with %d rules, want %s with %d", item.Name, one.Digest, len(one.Rules), known.Digest, len(known.Rules))
		}
		for _, r := range one.Rules {
			if diff := cmp.Diff(known.Rules[r.Rule].Limit, r.Limit); diff != "" || r.Source == "" {
				t.Errorf("%s: %s: source %q, limit (-want +got):\n%s", item.Name, r.Rule, r.Source, diff)
			}
		}
	}
	if diff := cmp.Diff(profile.Names(), names); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	get(t, server, "acme-live", "/api/v1/preflight/profiles/nope").Want(t, 404, "NOT_FOUND")
}

func TestSimulatorsAreListedForTestKeys(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	want := map[string]string{}
	for _, name := range profile.Names() {
		want[name] = "product"
	}
	kinds := func(key string) map[string]string {
		var list struct {
			Items []struct{ Name, Kind, Description string }
		}
		get(t, server, key, "/api/v1/preflight/profiles").Want(t, 200, "").Into(t, &list)
		got := map[string]string{}
		for _, item := range list.Items {
			got[item.Name] = item.Kind
		}
		return got
	}
	if diff := cmp.Diff(want, kinds("acme-live")); diff != "" {
		t.Errorf("profiles of a live key (-want +got):\n%s", diff)
	}
	for _, name := range preflightjob.SimulatorProfiles() {
		want[name] = "simulator"
		one := get(t, server, "acme-test", "/api/v1/preflight/profiles/"+name).Want(t, 200, "")
		if one.Text(t, "kind") != "simulator" || one.Text(t, "title") == "" {
			t.Errorf("%s: body %s, want a simulator with a title", name, one.Body)
		}
		get(t, server, "acme-live", "/api/v1/preflight/profiles/"+name).Want(t, 404, "NOT_FOUND")
	}
	if diff := cmp.Diff(want, kinds("acme-test")); diff != "" {
		t.Errorf("profiles of a test key (-want +got):\n%s", diff)
	}
}

func TestRulesAreListed(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var list struct{ Items []rules.Rule }
	get(t, server, "acme-live", "/api/v1/preflight/rules").Want(t, 200, "").Into(t, &list)
	if len(list.Items) != len(rules.All()) {
		t.Errorf("%d rules, want %d", len(list.Items), len(rules.All()))
	}
}

func TestRulesHaveThePreferredLanguage(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tags := map[string]string{}
	for field, want := range map[string][2]string{
		"": {"en", "File is empty"}, "de-AT": {"de", "Datei ist leer"}, "tlh": {"en", "File is empty"}, ";;": {"en", "File is empty"},
	} {
		var list struct{ Items []rules.Rule }
		a := server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/preflight/rules", Key: "acme-live", Header: map[string]string{"Accept-Language": field}})
		a.Want(t, 200, "").Into(t, &list)
		i := slices.IndexFunc(list.Items, func(r rules.Rule) bool { return r.ID == "file.empty" })
		if a.Header.Get("Content-Language") != want[0] || list.Items[i].Title != want[1] || !strings.HasSuffix(a.Header.Get("Vary"), "Accept-Language") {
			t.Errorf("Accept-Language %q: Content-Language %s, Vary %s, title %q, want %v",
				field, a.Header.Get("Content-Language"), a.Header.Get("Vary"), list.Items[i].Title, want)
		}
		tags[want[0]] = a.Header.Get("ETag")
	}
	if tags["en"] == tags["de"] {
		t.Errorf("English and German have the same ETag %s", tags["en"])
	}
}

func TestRegistryIsRevalidated(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, path := range []string{"/api/v1/preflight/profiles", "/api/v1/preflight/profiles/print_ready", "/api/v1/preflight/rules"} {
		first := get(t, server, "acme-live", path).Want(t, 200, "")
		again := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"If-None-Match": first.Header.Get("ETag")}})
		if again.Status != 304 {
			t.Errorf("%s with its own ETag %s: status %d, want 304", path, first.Header.Get("ETag"), again.Status)
		}
	}
}

// TestCustomProfilesAreVisibleOnlyToTheirPartners covers every place that names profiles: the list,
// the profile, and the response to an unknown profile.
func TestCustomProfilesAreVisibleOnlyToTheirPartners(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.SetProfiles(map[string]int32{"house": 5, "cutter": 4})
	server.GrantProfiles("acme", "house", "missing")
	tests := map[string][]string{"acme-live": {"house"}, "acme-test": {"house"}, "stark-live": nil}
	for key, want := range tests {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			var list struct {
				Items []struct{ Name, Kind, Version, Digest string }
			}
			listed := get(t, server, key, "/api/v1/preflight/profiles").Want(t, 200, "")
			listed.Into(t, &list)
			rejected := server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/preflight", Key: key, Body: request("https://x.example/a.pdf", "perfect")})
			detail := rejected.Want(t, 422, problem.CodePreflightInvalid).Violations(t)["#/profile"]
			for _, name := range []string{"house", "cutter", "missing"} {
				usable := slices.Contains(want, name)
				i := slices.IndexFunc(list.Items, func(item struct{ Name, Kind, Version, Digest string }) bool { return item.Name == name })
				if (i >= 0) != usable || strings.Contains(detail, name) != usable {
					t.Errorf("%s is in the list %t, in the problem %q; want %t", name, i >= 0, detail, usable)
				}
				submitted := server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/preflight", Key: key, Body: request("https://x.example/a.pdf", name)})
				if !usable {
					submitted.Want(t, 422, problem.CodePreflightInvalid)
					get(t, server, key, "/api/v1/preflight/profiles/"+name).Want(t, 404, "NOT_FOUND")
					continue
				}
				if got := submitted.Want(t, 202, "").Text(t, "profile"); got != name {
					t.Errorf("the job has the profile %q, want %s", got, name)
				}
				one := get(t, server, key, "/api/v1/preflight/profiles/"+name).Want(t, 200, "")
				if one.Text(t, "digest") != list.Items[i].Digest || one.Text(t, "kind") != "product" || one.Text(t, "version") != "1.0.0" {
					t.Errorf("profile %s, want the digest %s", one.Body, list.Items[i].Digest)
				}
				for _, a := range []string{listed.Header.Get("ETag"), one.Header.Get("ETag")} {
					if a == "" {
						t.Error("a response has no ETag")
					}
				}
			}
			if names := slices.IsSortedFunc(list.Items, func(a, b struct{ Name, Kind, Version, Digest string }) int { return strings.Compare(a.Name, b.Name) }); !names {
				t.Errorf("the list %v is not sorted by name", list.Items)
			}
		})
	}
}

func TestListOfProfilesIsRevalidatedUntilACustomProfileChanges(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.SetProfiles(map[string]int32{"house": 5})
	server.GrantProfiles("acme", "house")
	for _, path := range []string{"/api/v1/preflight/profiles", "/api/v1/preflight/profiles/house"} {
		server.SetProfiles(map[string]int32{"house": 5})
		etag := get(t, server, "acme-live", path).Want(t, 200, "").Header.Get("ETag")
		again := func() int {
			return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"If-None-Match": etag}}).Status
		}
		if status := again(); status != 304 {
			t.Errorf("%s with its own ETag: status %d, want 304", path, status)
		}
		server.SetProfiles(map[string]int32{"house": 6})
		if status := again(); status != 200 {
			t.Errorf("%s after a change of the profile: status %d, want 200", path, status)
		}
	}
	server.SetProfiles(nil)
	get(t, server, "acme-live", "/api/v1/preflight/profiles/house").Want(t, 404, "NOT_FOUND")
}
