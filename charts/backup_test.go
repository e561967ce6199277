// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/test/pgtest"
)

const backups = "backup: {enabled: true, existingClaim: printmarket-backups}\n"

func TestBackupOfTheChartEqualsThatOfConfig(t *testing.T) {
	t.Parallel()
	current(t, platformChart+"/files/backup.sh", source(t, "config/backup/backup.sh"))
	stream := render(t, platformChart, origins+backups)
	agree(t, stream, source(t, "config/backup/cronjob.yaml"), "CronJob", func(c *batchv1.CronJob) {
		bare(&c.ObjectMeta)
		c.Namespace = ""
		container(&c.Spec.JobTemplate.Spec.Template)
	})
	script := strict[corev1.ConfigMap](t, one(t, stream, "ConfigMap", "printmarket-backup").text).Data["backup.sh"]
	if diff := cmp.Diff(strings.TrimSpace(source(t, "config/backup/backup.sh")), strings.TrimSpace(script)); diff != "" {
		t.Errorf("script (-config +chart):\n%s", diff)
	}
	if got, want := added(t, origins, origins+backups), []string{"ConfigMap/printmarket-backup", "CronJob/printmarket-backup", "NetworkPolicy/printmarket-backup"}; !cmp.Equal(got, want) {
		t.Errorf("backup adds %v, want %v", got, want)
	}
}

// The script of the CronJob dumps a database with records. Restored into an empty database
// and migrated, the platform opens it and reads the records.
func TestABackupRestoresIntoAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	client := func(name string, arguments ...string) {
		t.Helper()
		if out, err := server.Client(t.Context(), name, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	client("psql", server.URL("postgres"), "--command=CREATE ROLE printmarket_api LOGIN", "--command=CREATE ROLE printmarket_worker LOGIN",
		"--command=CREATE DATABASE market", "--command=CREATE DATABASE restored")
	want := seeded(t, migrated(t, server.URL("market")))

	directory := t.TempDir()
	file := filepath.Join(directory, "url")
	if err := os.WriteFile(file, []byte(server.URL("market")+"\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	program := filepath.Dir(server.Client(t.Context(), "pg_dump").Path)
	for _, day := range []string{"20260101", "20260102", "20260103"} {
		if err := os.WriteFile(filepath.Join(directory, "printmarket-"+day+"T021700Z.dump"), nil, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	script := exec.CommandContext(t.Context(), "/bin/sh", platformChart+"/files/backup.sh", "cp", "-t", t.TempDir())
	script.Env = append(os.Environ(), "PATH="+program+":"+os.Getenv("PATH"), "BACKUP_DIRECTORY="+directory, "BACKUP_URL_FILE="+file, "BACKUP_KEEP=2")
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("backup.sh: %v\n%s", err, out)
	}
	dumps, err := filepath.Glob(filepath.Join(directory, "printmarket-*"))
	if err != nil || len(dumps) != 2 || filepath.Base(dumps[0]) != "printmarket-20260103T021700Z.dump" {
		t.Fatalf("kept dumps: %q, %v; want the newest two", dumps, err)
	}
	if copies, err := filepath.Glob(script.Args[4] + "/*.dump"); err != nil || len(copies) != 1 || filepath.Base(copies[0]) != filepath.Base(dumps[1]) {
		t.Errorf("the command got %q (%v), want %s", copies, err, dumps[1])
	}

	client("pg_restore", "--exit-on-error", "--no-owner", "--dbname="+server.URL("restored"), dumps[1])
	got, err := migrated(t, server.URL("restored")).MasterData(t.Context(), masterdata.Filter{}, "", 100)
	if err != nil {
		t.Fatalf("MasterData: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("master data (-backup +restored):\n%s", diff)
	}
}

// A dump that fails must leave no file that looks complete, and keep the others.
func TestAFailedBackupRemovesNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	old := filepath.Join(directory, "printmarket-20260101T021700Z.dump")
	file := filepath.Join(directory, "url")
	for path, content := range map[string]string{old: "dump", file: "postgres://absent@127.0.0.1:1/none?sslmode=disable"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	script := exec.CommandContext(t.Context(), "/bin/sh", platformChart+"/files/backup.sh")
	script.Env = append(os.Environ(), "BACKUP_DIRECTORY="+directory, "BACKUP_URL_FILE="+file, "BACKUP_KEEP=1")
	if out, err := script.CombinedOutput(); err == nil {
		t.Fatalf("backup.sh without a server succeeds:\n%s", out)
	}
	if dumps, err := filepath.Glob(filepath.Join(directory, "*.dump")); err != nil || !cmp.Equal(dumps, []string{old}) {
		t.Errorf("dumps: %q, %v; want the old one", dumps, err)
	}
}

// migrated opens a database as the platform does, after its migration by the command.
func migrated(t *testing.T, url string) *postgres.Store {
	t.Helper()
	var stderr bytes.Buffer
	if code := cli.Main(t.Context(), []string{"migrate", "--api-role=printmarket_api", "--worker-role=printmarket_worker", "--database=" + url}, &bytes.Buffer{}, &stderr); code != 0 {
		t.Fatalf("migrate: %s", stderr.String())
	}
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatalf("postgres.Open: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.CheckSchema(t.Context()); err != nil {
		t.Fatalf("CheckSchema: %v", err)
	}
	return store
}

// seeded imports and approves the demo master data, and returns its snapshots.
func seeded(t *testing.T, store *postgres.Store) []masterdata.Snapshot {
	t.Helper()
	if err := demo.SeedMasterData(t.Context(), masterdata.New(masterdata.Config{Store: store, Now: time.Now, Random: rand.Reader})); err != nil {
		t.Fatalf("demo.SeedMasterData: %v", err)
	}
	snapshots, err := store.MasterData(t.Context(), masterdata.Filter{}, "", 100)
	if err != nil {
		t.Fatalf("MasterData: %v", err)
	}
	return snapshots
}
