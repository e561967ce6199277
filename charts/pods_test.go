// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// A pod that never becomes ready would otherwise keep a node from being drained.
func TestNodeDrainIsNotBlockedByIdlePods(t *testing.T) {
	t.Parallel()
	budgets := ofKind[policyv1.PodDisruptionBudget](t, render(t, platformChart, everything), "PodDisruptionBudget")
	if len(budgets) != 4 {
		t.Fatalf("%d budgets, want 4", len(budgets))
	}
	for _, budget := range budgets {
		if policy := budget.Spec.UnhealthyPodEvictionPolicy; policy == nil || *policy != policyv1.AlwaysAllow {
			t.Errorf("%s: unready pods are evicted %v, want always", budget.Name, policy)
		}
	}
}

// While a rollout goes on, the pods that are about to go must not decide where new
// ones come.
func TestPodsOfOneVersionAreSpreadOverZonesAndNodes(t *testing.T) {
	t.Parallel()
	for _, deployment := range ofKind[appsv1.Deployment](t, render(t, platformChart, everything), "Deployment") {
		pod := deployment.Spec.Template
		var keys []string
		for _, spread := range pod.Spec.TopologySpreadConstraints {
			keys = append(keys, spread.TopologyKey)
			if !matchesLabels(spread.LabelSelector, pod.Labels) || !slices.Contains(spread.MatchLabelKeys, appsv1.DefaultDeploymentUniqueLabelKey) {
				t.Errorf("%s: %+v does not count the pods of one version", deployment.Name, spread)
			}
		}
		if want := []string{corev1.LabelTopologyZone, corev1.LabelHostname}; !slices.Equal(keys, want) {
			t.Errorf("%s is spread over %q, want %q", deployment.Name, keys, want)
		}
	}
}

// For all values, the grace period is long enough for a process to stop: 20 s for
// open requests according to the guide, and drainSeconds.
func TestTerminationGracePeriodIsLongerThanTheShutdown(t *testing.T) {
	t.Parallel()
	const requests, reserve = 20, 10
	for _, seconds := range []int64{0, 5, 60, 300} {
		stream := render(t, platformChart, origins+fmt.Sprintf("api: {drainSettleSeconds: %d}\nworker: {drainSeconds: %d}\nwebhooks: {enabled: true, drainSeconds: %d}", seconds, seconds, seconds))
		for name, flag := range map[string]string{"printmarket-api": "--drain-settle", "printmarket-worker-preflight": "--drain-time", "printmarket-worker-webhooks": "--drain-time"} {
			pod := templates(t, stream)["Deployment/"+name].Spec
			want := fmt.Sprintf("%s=%ds", flag, seconds)
			if !slices.Contains(pod.Containers[0].Args, want) {
				t.Errorf("%s lacks the argument %s", name, want)
			}
			least := seconds + reserve
			if name == "printmarket-api" {
				least += requests
			}
			if grace := *pod.TerminationGracePeriodSeconds; grace < least {
				t.Errorf("%s with %s has %d s, needs %d", name, want, grace, least)
			}
		}
	}
}

// A probe that gives up after a second kills pods on a busy node.
func TestLivenessProbesTolerateSlowResponses(t *testing.T) {
	t.Parallel()
	for name, pod := range templates(t, render(t, platformChart, everything)) {
		probe := pod.Spec.Containers[0].LivenessProbe
		if !strings.HasPrefix(name, "Deployment/") {
			continue
		}
		if probe == nil || probe.TimeoutSeconds < 5 || pod.Spec.Containers[0].ReadinessProbe == nil {
			t.Errorf("%s: liveness %v", name, probe)
		}
	}
}

// Users who may not read Secrets must not see any part of a password.
func TestPasswordsAreOnlyInSecrets(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, everything)
	var passwords []string
	for _, s := range ofKind[corev1.Secret](t, stream, "Secret") {
		for key, value := range s.Data {
			if key == "password" {
				passwords = append(passwords, string(value))
			}
		}
		if len(s.Annotations) != 1 {
			t.Errorf("%s has the annotations %v", s.Name, s.Annotations)
		}
	}
	if len(passwords) != 6 {
		t.Fatalf("%d passwords, want 6", len(passwords))
	}
	for _, d := range documents(t, stream) {
		for _, password := range passwords {
			if d.kind != "Secret" && strings.Contains(string(d.text), password) {
				t.Errorf("%s %s has a password", d.kind, d.name)
			}
		}
	}
}

// A Secret that was there before may hold anything, and its password goes into
// URLs and into the users of Redis.
func TestPasswordThatChangesTheURLIsRejected(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	for name, password := range map[string]string{
		"another user of Redis":       `abcdefghijklmnopqrst on +@all\nuser evil on nopass ~* +@all`,
		"another host of the address": `abcdefghijklmnopqrst@evil.example/`,
		"short":                       `abc`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &cluster{Plane: plane, namespace: plane.Namespace(t)}
			c.apply(t, `{apiVersion: v1, kind: Secret, metadata: {name: printmarket-trial-redis}, stringData: {password: "`+password+`"}}`)
			values := valuesFile(t, origins+"crds: {enabled: false}\nredis: {trial: {enabled: true}}\n")
			out := c.helm(t, "install", "market", platformChart, "--values="+values, "--no-hooks", "--dry-run=server")
			if out.err == nil || !strings.Contains(out.stderr, "the Secret printmarket-trial-redis: its key password must be 16 to 128 letters and digits") {
				t.Errorf("%v, %q; want a refusal that names the Secret", out.err, out.stderr)
			}
			if strings.Contains(out.stdout+out.stderr, "abcdefghijklmnopqrst") {
				t.Error("the refusal shows the password")
			}
		})
	}
}

// The authorities of PostgreSQL and Redis are read for each connection, and partners' servers are
// not verified with them.
func TestAuthorityOfAServerIsTrustedForThisServerOnly(t *testing.T) {
	t.Parallel()
	const both = "database: {ca: {secretName: database-ca}}\nredis: {ca: {secretName: redis-ca}}\n"
	pods := templates(t, render(t, platformChart, origins+"webhooks: {enabled: true}\n"+both))
	for name, redis := range map[string]string{"printmarket-api": "/server-ca/redis.crt", "printmarket-worker-preflight": "/server-ca/redis.crt", "printmarket-worker-webhooks": ""} {
		values := map[string]string{}
		for _, variable := range pods["Deployment/"+name].Spec.Containers[0].Env {
			values[variable.Name] = variable.Value
		}
		if values["PGSSLROOTCERT"] != "/server-ca/database.crt" || values["PRINTMARKET_REDIS_CA_FILE"] != redis || values["SSL_CERT_DIR"]+values["SSL_CERT_FILE"] != "" {
			t.Errorf("%s: variables %v; want the authorities /server-ca/database.crt and %q for their servers only", name, values, redis)
		}
	}
}
