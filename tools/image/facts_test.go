// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return string(content)
}

// The build of a container engine copies the files that this command writes. The Dockerfile adds
// only the image configuration.
func TestDockerfileMatchesTheImageCommand(t *testing.T) {
	t.Parallel()
	dockerfile := text(t, "Dockerfile")
	_, final, _ := strings.Cut(dockerfile, "FROM scratch\n")
	for _, line := range []string{
		"USER " + imageUser + "\n", `ENTRYPOINT ["` + entrypoint + `"]` + "\n", "WORKDIR /\n", "COPY --from=build /rootfs /\n",
	} {
		if !strings.Contains(final, line) {
			t.Errorf("the final stage lacks %q", line)
		}
	}
	if strings.Contains(dockerfile, "go build") || !strings.Contains(dockerfile, "cd tools/image && go run . ") || !strings.Contains(dockerfile, "--rootfs /rootfs") {
		t.Error("the executables are not built by this command")
	}
	got := map[string]string{}
	for _, match := range regexp.MustCompile(`(org\.opencontainers\.image\.\w+)="([^"]*)"`).FindAllStringSubmatch(final, -1) {
		got[match[1]] = match[2]
	}
	want := release{version: "${VERSION}", revision: "${REVISION}"}.labels()
	// An engine notes the time of the build by itself.
	delete(want, "org.opencontainers.image.created")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels (-command +Dockerfile):\n%s", diff)
	}
}

func TestDockerfileAndModulesNameOneGoRelease(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`(?m)^ARG GO_IMAGE=golang:(1\.\d+\.\d+)@sha256:[0-9a-f]{64}$`).FindStringSubmatch(text(t, "Dockerfile"))
	if pinned == nil {
		t.Fatal("the Dockerfile names no release of Go with a digest")
	}
	modules := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "bin" || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.Name() != "go.mod":
			return nil
		}
		modules++
		if line := "\ntoolchain go" + pinned[1] + "\n"; !strings.Contains(text(t, path), line) {
			t.Errorf("%s lacks the line %q of the Dockerfile's Go", path, line)
		}
		return nil
	})
	if err != nil || modules < 3 {
		t.Errorf("%d modules, %v; want all of the repository", modules, err)
	}
}

// Tested and packed executables must have the same flags, and one build cache serves both.
func TestBuildFlagsMatchTheMakefile(t *testing.T) {
	t.Parallel()
	makefile := text(t, "Makefile")
	for _, line := range []string{
		"export GOFLAGS = " + goFlags + "\n", "export CGO_ENABLED = 0\n", "LDFLAGS  = " + linkFlags + " -X " + versionVariable + "=$(VERSION)\n",
	} {
		if !strings.Contains(makefile, line) {
			t.Errorf("the Makefile lacks %q", line)
		}
	}
	var packages []string
	for _, one := range executables {
		packages = append(packages, one.pkg)
	}
	if want := `bin/ "` + strings.Join(packages, " ") + `" -ldflags`; !strings.Contains(makefile, want) {
		t.Errorf("the Makefile builds other packages than %q", want)
	}
	if want := "\t$(call executables)\n"; !strings.Contains(makefile, want) {
		t.Errorf("make build passes flags of its own: the Makefile lacks %q", want)
	}
}

// Pods run as the image's user.
func TestPodsNameTheImageAndItsUser(t *testing.T) {
	t.Parallel()
	user, _, _ := strings.Cut(imageUser, ":")
	for _, name := range []string{"config/apiserver/deployment.yaml", "config/workers/preflight.yaml", "config/manager/deployment.yaml"} {
		if manifest := text(t, name); !strings.Contains(manifest, "image: "+imageName+"\n") || !strings.Contains(manifest, "runAsUser: "+user+"\n") {
			t.Errorf("%s: another image, or another user", name)
		}
	}
}
