// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/doctor"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
)

// examined runs the doctor and returns its exit code and what it found, as
// part/check=severity.
func examined(t *testing.T, env []string, args ...string) (int, map[string]doctor.Severity) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"doctor", "-o", "json"}, args...)...)
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	out, _ := command.Output() // the exit code is looked at
	var reports []doctor.Report
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := map[string]doctor.Severity{}
	for _, report := range reports {
		for _, finding := range report.Findings {
			if finding.Severity == doctor.Failure && finding.Do == "" {
				t.Errorf("%+v does not say what to do", finding)
			}
			if strings.Contains(finding.Detail, "secret-word") {
				t.Errorf("%+v contains a password", finding)
			}
			found[report.Part+"/"+finding.Check] = finding.Severity
		}
	}
	return command.ProcessState.ExitCode(), found
}

// unspecified lists the findings without any address.
func unspecified(found map[string]doctor.Severity) map[string]doctor.Severity {
	all := map[string]doctor.Severity{
		"api/api": doctor.Skipped, "registry/registry": doctor.Skipped, "ops/ops": doctor.Skipped,
		"database/database": doctor.Skipped, "redis/redis": doctor.Skipped, "cluster/cluster": doctor.Skipped,
	}
	for check, severity := range found {
		part, _, _ := strings.Cut(check, "/")
		if part == "operations" {
			part = "ops"
		}
		delete(all, part+"/"+part)
		all[check] = severity
	}
	return all
}

// unreachableCluster returns a kubeconfig of a cluster that does not answer.
func unreachableCluster(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}],
contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a, user: {}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	good, bad := redistest.Real(t), redistest.Real(t, "maxmemory 100mb", "maxmemory-policy allkeys-lru")
	quick := redistest.Real(t, "appendonly no")
	if err := quick.Client(t).ZAdd(t.Context(), "pm:{preflight}:open", redis.Z{Score: 1, Member: "a job that no worker takes"}).Err(); err != nil {
		t.Fatalf("ZAdd: %v", err)
	}
	database := pgtest.Start(t).URL("postgres")
	cluster := newReleased(t)
	tests := map[string]struct {
		env, args []string
		code      int
		want      map[string]doctor.Severity
	}{
		"no flag": {nil, nil, 0, nil},
		"a Redis that keeps everything": {
			nil,
			[]string{"--redis", "redis://" + good.Addr},
			0,
			map[string]doctor.Severity{"redis/policy": doctor.OK, "redis/append-only file": doctor.OK, "redis/memory": doctor.OK, "redis/jobs": doctor.OK, "redis/clock": doctor.OK},
		},
		"a Redis that forgets when it ends, with a job and no worker": {
			[]string{"PRINTMARKET_REDIS_URL=redis://" + quick.Addr},
			nil, 2,
			map[string]doctor.Severity{"redis/policy": doctor.OK, "redis/append-only file": doctor.Warning, "redis/memory": doctor.OK, "redis/jobs": doctor.Warning, "redis/clock": doctor.OK},
		},
		"a Redis that drops keys":     {nil, []string{"--redis", "redis://" + bad.Addr}, 1, map[string]doctor.Severity{"redis/policy": doctor.Failure}},
		"a Redis that is not there":   {nil, []string{"--redis", "redis://:secret-word@127.0.0.1:1"}, 1, map[string]doctor.Severity{"redis/reach": doctor.Failure}},
		"a database without a schema": {nil, []string{"--database", database}, 1, map[string]doctor.Severity{"database/settings": doctor.OK, "database/schema": doctor.Failure}},
		"a database that may lose what it acknowledged": {
			[]string{"PRINTMARKET_DATABASE_URL=" + database + "&synchronous_commit=off"}, nil, 1, map[string]doctor.Severity{"database/settings": doctor.Failure},
		},
		"a database that rejects writes": {nil, []string{"--database", database + "&default_transaction_read_only=on"}, 1, map[string]doctor.Severity{"database/writable": doctor.Failure}},
		"a database that is not there":   {nil, []string{"--database", "postgres://a:secret-word@127.0.0.1:1/a"}, 1, map[string]doctor.Severity{"database/reach": doctor.Failure}},
		"a cluster without a controller": {
			nil,
			[]string{"--kubeconfig", cluster.operator, "--namespace", cluster.namespace},
			1,
			map[string]doctor.Severity{"cluster/definitions": doctor.OK, "cluster/clock": doctor.OK, "cluster/controller": doctor.Failure, "cluster/parts": doctor.OK, "cluster/grants": doctor.OK, "cluster/ends": doctor.OK, "cluster/partnerentitlements": doctor.Warning, "cluster/capabilityrollouts": doctor.Warning, "cluster/xjmfsenders": doctor.Warning, "cluster/preflightprofiles": doctor.Warning},
		},
		"a cluster of which one may read the namespace alone": {
			[]string{"KUBECONFIG=" + cluster.manager},
			[]string{"--namespace", cluster.namespace},
			2,
			map[string]doctor.Severity{"cluster/definitions": doctor.Skipped, "cluster/clock": doctor.OK, "cluster/controller": doctor.Skipped, "cluster/parts": doctor.OK, "cluster/grants": doctor.OK, "cluster/ends": doctor.OK, "cluster/partnerentitlements": doctor.Warning, "cluster/capabilityrollouts": doctor.Warning, "cluster/xjmfsenders": doctor.Warning, "cluster/preflightprofiles": doctor.Warning},
		},
		"a cluster that is not there": {
			nil,
			[]string{"--kubeconfig", unreachableCluster(t), "--namespace", "printmarket"},
			1,
			map[string]doctor.Severity{"cluster/reach": doctor.Failure},
		},
		"an API that is not there": {nil, []string{"--api", "https://127.0.0.1:1"}, 1, map[string]doctor.Severity{"api/reach": doctor.Failure}},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			code, found := examined(t, test.env, test.args...)
			if diff := cmp.Diff(unspecified(test.want), found); diff != "" || code != test.code {
				t.Errorf("exit %d, want %d; -want +found:\n%s", code, test.code, diff)
			}
		})
	}
}

func TestDoctorPassesOnARunningPlatform(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	code, found := examined(t, nil, "--api", p.env["API_URL"], "--registry", p.env["REGISTRY_URL"], "--ops", p.env["OPS_URL"])
	for check, severity := range found {
		if severity != doctor.OK && severity != doctor.Skipped {
			t.Errorf("%s: %s", check, severity)
		}
	}
	if code != 0 || len(found) < 9 {
		t.Errorf("exit %d, %d findings", code, len(found))
	}
}

// TestTheDoctorWritesASupportArchive reads the archive of a cluster and of a running process.
func TestTheDoctorWritesASupportArchive(t *testing.T) {
	t.Parallel()
	cluster, p := newReleased(t), startDev(t, t.TempDir())
	path := filepath.Join(t.TempDir(), "support.tar.gz")
	examined(t, nil, "--ops", p.env["OPS_URL"], "--kubeconfig", cluster.operator, "--namespace", cluster.namespace, "--bundle", path)
	out, err := exec.CommandContext(t.Context(), "tar", "--extract", "--to-stdout", "--gzip", "--verbose", "--file", path).CombinedOutput()
	if err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	for _, want := range []string{
		"version.json", "findings.json", "cluster/capabilityrollouts.json", "cluster/partnerentitlements.json", "cluster/events.json",
		"operations/readyz.json", "operations/metrics.txt", "go_goroutines", "org_",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the archive lacks %q", want)
		}
	}
	if digest := regexp.MustCompile(`"sha256": "[0-9a-f]{64}"`).Find(out); digest != nil {
		t.Errorf("the archive has the digest %s", digest)
	}
}
