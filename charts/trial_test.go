// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
)

// secret returns the value of a key of a rendered Secret.
func secret(t *testing.T, stream, name, key string) string {
	t.Helper()
	value, found := strict[corev1.Secret](t, one(t, stream, "Secret", name).text).Data[key]
	if !found {
		t.Fatalf("the Secret %s has no key %s", name, key)
	}
	return string(value)
}

// address is a URL of a Secret, which leads to the Service of the trial server.
func address(t *testing.T, stream, name, host string) *url.URL {
	t.Helper()
	at, err := url.Parse(secret(t, stream, name, "url"))
	if err != nil {
		t.Fatalf("the URL of %s cannot be read", name)
	}
	if at.Host != host+".printmarket.svc:"+at.Port() {
		t.Errorf("%s leads to %s, want the Service %s", name, at.Host, host)
	}
	one(t, stream, "Service", host)
	return at
}

// A real server accepts the settings and the users of the chart, and the users can
// authenticate with the passwords of their URLs.
func TestTheTrialRedisStartsWithItsSettingsAndUsers(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, origins+trials)
	set := strict[appsv1.StatefulSet](t, one(t, stream, "StatefulSet", "printmarket-trial-redis").text)
	var settings []string
	for pair := range slices.Chunk(set.Spec.Template.Spec.Containers[0].Args, 2) {
		// Where it listens and lies is the machine's matter.
		if !slices.Contains([]string{"--port", "--dir", "--aclfile"}, pair[0]) {
			settings = append(settings, strings.TrimPrefix(pair[0], "--")+" "+pair[1])
		}
	}
	server := redistest.Valkey(t, settings...)
	admin := server.Client(t)
	for _, want := range []string{"appendonly yes", "appendfsync always", "maxmemory-policy noeviction", "stream-node-max-entries 16", "maxmemory 268435456"} {
		name, value, _ := strings.Cut(want, " ")
		if got := admin.ConfigGet(t.Context(), name).Val()[name]; got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	for line := range strings.Lines(secret(t, stream, "printmarket-trial-redis-users", "users.acl")) {
		words := strings.Fields(line)
		if words[1] == "default" {
			continue // the user of this test
		}
		rule := []any{"ACL", "SETUSER"}
		for _, word := range words[1:] {
			rule = append(rule, word)
		}
		if err := admin.Do(t.Context(), rule...).Err(); err != nil {
			t.Errorf("the rights of %s: %v", words[1], err)
		}
	}
	for user, name := range map[string]string{"api": "printmarket-trial-redis", "worker": "printmarket-trial-redis-worker"} {
		at := address(t, stream, name, "printmarket-trial-redis")
		password, _ := at.User.Password()
		client := redis.NewClient(&redis.Options{Addr: server.Addr, Username: at.User.Username(), Password: password, Protocol: 2})
		t.Cleanup(func() { _ = client.Close() })
		if at.User.Username() != user || client.Ping(t.Context()).Err() != nil {
			t.Errorf("%s, the user %s, does not get in", name, at.User.Username())
		}
		if err := client.FlushAll(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM") {
			t.Errorf("%s empties Redis: %v", user, err)
		}
	}
}

// The script of the chart makes the roles that the migration gives their rights,
// with the passwords of the Secrets.
func TestTheTrialDatabaseGetsTheRolesThatTheMigrationNames(t *testing.T) {
	t.Parallel()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip(err)
	}
	server := pgtest.Start(t)
	owner, err := url.Parse(server.URL("postgres"))
	if err != nil {
		t.Fatalf("url.Parse: %v", err)
	}
	ownerPassword, _ := owner.User.Password()
	stream := render(t, platformChart, origins+trials+"image: {tag: devel}\nwebhooks: {enabled: true}")
	script := strict[corev1.ConfigMap](t, one(t, stream, "ConfigMap", "printmarket-trial-database").text).Data["roles.sh"]
	command := exec.CommandContext(t.Context(), "sh", "-e")
	command.Stdin = strings.NewReader(script)
	command.Env = append(os.Environ(), "PGHOST="+owner.Hostname(), "PGPORT="+owner.Port(), "PGPASSWORD="+ownerPassword,
		"POSTGRES_USER="+owner.User.Username(), "POSTGRES_DB=postgres",
		"API_PASSWORD="+secret(t, stream, "printmarket-trial-database", "password"),
		"WORKER_PASSWORD="+secret(t, stream, "printmarket-trial-database-worker", "password"),
		"WEBHOOKS_PASSWORD="+secret(t, stream, "printmarket-trial-database-webhooks", "password"))
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("the script: %v\n%s", err, output)
	}

	for name, pod := range templates(t, stream) {
		if !strings.HasPrefix(name, "Job/") {
			continue
		}
		var stderr bytes.Buffer
		arguments := append(slices.Clone(pod.Spec.Containers[0].Args), "--database="+server.URL("postgres"))
		if code := cli.Main(t.Context(), arguments, &bytes.Buffer{}, &stderr); code != 0 {
			t.Fatalf("migrate: %s", stderr.String())
		}
	}
	for name, query := range map[string]string{
		"printmarket-trial-database":          "SELECT count(*) FROM rfq",
		"printmarket-trial-database-worker":   "SELECT count(*) FROM job",
		"printmarket-trial-database-webhooks": "SELECT count(*) FROM webhook_delivery",
	} {
		at := address(t, stream, name, "printmarket-trial-database")
		at.Host = owner.Host
		at.Path = "/postgres"
		if output, err := exec.CommandContext(t.Context(), psql, at.String(), "--command="+query).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}
