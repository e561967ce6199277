// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/kubectl"
)

// looks are the commands with which a user inspects the objects.
var looks = []string{
	"get cap", "get partner", "get sender", "get printmarket", "get cap -o wide", "get partner -o wide", "get sender -o wide",
}

func TestTheSamplesAreInForceAsTheTablesSay(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).must(t, "", "apply", "--server-side", "--kustomize=samples")
	control(t, namespace)
	settle(t, namespace)
	golden(t, "get-samples.txt", lookAt(t, as(t, namespace, "viewer"), looks))
}

// An object that contradicts another one is closed alone, and its row shows the reason.
func TestRowsOfBrokenObjectsShowTheFault(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).mustApply(t, "test", readFile(t, "testdata/broken.yaml"))
	control(t, namespace)
	settle(t, namespace)
	viewer := as(t, namespace, "viewer")
	commands := append(looks[:3:3], looks[4:]...)
	for _, object := range []string{"cap/estimate", "cap/preflight", "partner/umbrella", "partner/twins", "sender/early", "sender/lost", "sender/weak"} {
		commands = append(commands, "get "+object+` -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`)
	}
	golden(t, "get-broken.txt", lookAt(t, viewer, commands))
}

// A status without an observed generation shows that no controller has processed the object,
// so clients do not treat it as ready.
func TestRowsOfUnprocessedObjectsShowThatNoControllerRuns(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).mustApply(t, "test", readFile(t, "testdata/broken.yaml"))
	commands := looks[:3:3]
	for _, object := range []string{"cap/rfq-read", "partner/acme", "sender/rotating"} {
		commands = append(commands, "get "+object+` -o jsonpath='{.status}'`)
	}
	golden(t, "get-unseen.txt", lookAt(t, as(t, namespace, "viewer"), commands))
}

// lookAt is a transcript of commands, none of which has a space in quotes.
func lookAt(t *testing.T, who person, commands []string) string {
	t.Helper()
	var out kubectl.Transcript
	for _, command := range commands {
		words := strings.Fields(strings.ReplaceAll(command, "'", ""))
		out.Add("kubectl "+command, kubectl.Ageless(who.must(t, "", words...)))
	}
	return out.String()
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", name, err)
	}
	return string(content)
}
