// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const examples = "charts/" + platformChart + "/examples/"

// urlSecrets returns the Secret and the key of each URL that pods of a release mount.
func urlSecrets(t *testing.T, stream string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pod := range templates(t, stream) {
		for _, volume := range pod.Spec.Volumes {
			if volume.Secret != nil && (volume.Name == "database" || volume.Name == "redis") {
				found[volume.Secret.SecretName] = volume.Secret.Items[0].Key
			}
		}
	}
	return found
}

// externalSecret has the fields of the kind of External Secrets that are used.
type externalSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		RefreshInterval string            `json:"refreshInterval"`
		SecretStoreRef  map[string]string `json:"secretStoreRef"`
		Data            []struct {
			SecretKey string            `json:"secretKey"`
			RemoteRef map[string]string `json:"remoteRef"`
		} `json:"data"`
	} `json:"spec"`
}

func TestExternalSecretsCreateTheSecretsThatTheChartMounts(t *testing.T) {
	t.Parallel()
	made := map[string]string{}
	for _, d := range documents(t, source(t, examples+"external-secrets.yaml")) {
		s := strict[externalSecret](t, d.text)
		made[s.Name] = s.Spec.Data[0].SecretKey
	}
	if diff := cmp.Diff(urlSecrets(t, render(t, platformChart, origins+"webhooks: {enabled: true}")), made); diff != "" {
		t.Errorf("Secrets (-chart +example):\n%s", diff)
	}
}

// postgresCluster has the fields of the kind of CloudNativePG that are used.
type postgresCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Instances int               `json:"instances"`
		Storage   map[string]string `json:"storage"`
		Bootstrap struct {
			InitDB map[string]string `json:"initdb"`
		} `json:"bootstrap"`
		Managed struct {
			Roles []struct {
				Name           string            `json:"name"`
				Login          bool              `json:"login"`
				PasswordSecret map[string]string `json:"passwordSecret"`
			} `json:"roles"`
		} `json:"managed"`
	} `json:"spec"`
}

func TestTheChartUsesTheClusterOfCloudNativePG(t *testing.T) {
	t.Parallel()
	cluster := strict[postgresCluster](t, []byte(source(t, examples+"cloudnativepg.yaml")))
	made := map[string]string{cluster.Name + "-app": "uri", "printmarket-redis": "url"}
	var roles []string
	for _, role := range cluster.Spec.Managed.Roles {
		made[role.PasswordSecret["name"]] = "uri"
		roles = append(roles, role.Name)
	}
	stream := render(t, platformChart, origins+source(t, examples+"values-cloudnativepg.yaml")+"webhooks: {enabled: true}\n")
	if diff := cmp.Diff(made, urlSecrets(t, stream)); diff != "" {
		t.Errorf("Secrets (-example +chart):\n%s", diff)
	}
	for name, pod := range templates(t, stream) {
		container := pod.Spec.Containers[0]
		if slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == "database" }) &&
			!slices.Contains(container.Env, corev1.EnvVar{Name: "PGSSLMODE", Value: "verify-full"}) {
			t.Errorf("%s does not verify the server of a URL without sslmode", name)
		}
		if slices.ContainsFunc(container.Args, func(a string) bool { return strings.HasPrefix(a, "--api-role=") }) {
			for _, role := range roles {
				if !strings.Contains(strings.Join(container.Args, " "), "-role="+role) {
					t.Errorf("the migration does not grant privileges to %s", role)
				}
			}
		}
	}
}

// The values file is all that a trial needs: helm renders the chart, and kube-apiserver
// accepts each object.
func TestTrialNeedsOnlyItsValuesFile(t *testing.T) {
	t.Parallel()
	namespace := restricted(t)
	out := helmAlone(t, "template", "market", platformChart, "--namespace="+namespace, "--values="+platformChart+"/values-trial.yaml")
	if out.err != nil {
		t.Fatalf("helm template: %s", out.stderr)
	}
	var objects []string
	kinds := map[string]int{}
	for _, d := range documents(t, out.stdout) {
		objects = append(objects, string(d.text))
		kinds[d.kind]++
	}
	if kinds["StatefulSet"] != 2 || kinds["Deployment"] != 3 {
		t.Errorf("objects: %v; want two servers and three Deployments", slices.Sorted(maps.Keys(kinds)))
	}
	kubectl(t, namespace, objects, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "--warnings-as-errors", "--filename=-")
}

// OpenShift chooses users and groups itself.
func TestUsersAndGroupsCanBeOmitted(t *testing.T) {
	t.Parallel()
	pod := "pod: {securityContext: {runAsUser: null}}"
	values := origins + "controller: {" + pod + "}\napi: {" + pod + "}\nworker: {" + pod + "}\nwebhooks: {enabled: true, " + pod + "}\n" +
		"files: {existingClaim: uploads, fsGroup: null}\ndatabase: {trial: {enabled: true, runAsUser: null}}\nredis: {trial: {enabled: true, runAsUser: null}}\n" +
		"backup: {enabled: true, existingClaim: b, securityContext: {runAsUser: null, fsGroup: null}}\n"
	if stream := render(t, platformChart, values); strings.Contains(stream, "runAsUser") || strings.Contains(stream, "fsGroup") {
		t.Error("a rendered pod has runAsUser or fsGroup")
	}
}

func TestValuesAddVariablesVolumesAndConstraintsToPods(t *testing.T) {
	t.Parallel()
	pod := `pod: {extraEnv: [{name: HTTPS_PROXY, value: "http://proxy:3128"}], envFrom: [{secretRef: {name: more}}], volumes: [{name: more, emptyDir: {}}],
  volumeMounts: [{name: more, mountPath: /more}], priorityClassName: high, topologySpreadConstraints: [{maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]}`
	stream := render(t, platformChart, origins+"controller: {"+pod+"}\napi: {"+pod+"}\nworker: {"+pod+"}\nwebhooks: {enabled: true, "+pod+"}\n")
	seen := 0
	for name, template := range templates(t, stream) {
		if !strings.HasPrefix(name, "Deployment/") {
			continue
		}
		seen++
		spec, container := template.Spec, template.Spec.Containers[0]
		if !slices.Contains(container.Env, corev1.EnvVar{Name: "HTTPS_PROXY", Value: "http://proxy:3128"}) || len(container.EnvFrom) != 1 || spec.PriorityClassName != "high" ||
			!slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == "more" }) ||
			!slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/more" }) {
			t.Errorf("%s: variables, volumes or priority are missing", name)
		}
		if constraints := spec.TopologySpreadConstraints; len(constraints) != 1 || constraints[0].TopologyKey != "rack" || constraints[0].LabelSelector == nil ||
			!matchesLabels(constraints[0].LabelSelector, template.Labels) {
			t.Errorf("%s: constraints %v", name, constraints)
		}
	}
	if seen != 4 {
		t.Errorf("%d Deployments, want 4", seen)
	}
}

// With a token, every process requires it, and every monitor sends it.
func TestMonitorsSendTheRequiredToken(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, origins+"webhooks: {enabled: true}\nmonitoring: {monitors: {enabled: true}}\ndiagnostics: {tokenSecret: printmarket-metrics, pprof: true}\n")
	for name, pod := range templates(t, stream) {
		arguments := strings.Join(pod.Spec.Containers[0].Args, " ")
		if protected := strings.Contains(arguments, "--metrics-token-file=/diagnostics/token") && strings.Contains(arguments, "--pprof"); protected != strings.HasPrefix(name, "Deployment/") {
			t.Errorf("%s: requires the token: %v", name, protected)
		}
	}
	want := authorization{Credentials: map[string]string{"name": "printmarket-metrics", "key": "token"}}
	monitors := append(ofKind[monitor](t, stream, "ServiceMonitor"), ofKind[monitor](t, stream, "PodMonitor")...)
	for _, m := range monitors {
		if diff := cmp.Diff(&want, append(m.Spec.Endpoints, m.Spec.PodMetricsEndpoints...)[0].Authorization); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.Name, diff)
		}
	}
	if len(monitors) != 4 {
		t.Errorf("%d monitors, want 4", len(monitors))
	}
}

// chart has the fields of Chart.yaml that are used.
type chart struct {
	Home        string            `json:"home"`
	Annotations map[string]string `json:"annotations"`
}

// Artifact Hub reads lists from annotations, each a text in YAML.
func TestChartsDescribeThemselvesToArtifactHub(t *testing.T) {
	t.Parallel()
	for _, name := range []string{platformChart, capabilitiesChart} {
		var c chart
		if err := yaml.Unmarshal([]byte(source(t, "charts/"+name+"/Chart.yaml")), &c); err != nil {
			t.Fatalf("yaml.Unmarshal: %v", err)
		}
		if c.Home == "" || c.Annotations["artifacthub.io/license"] != "Apache-2.0" || c.Annotations["artifacthub.io/category"] == "" {
			t.Errorf("%s: home %q, annotations %v", name, c.Home, c.Annotations)
		}
		if name != platformChart {
			continue
		}
		var listed []struct{ Kind, Version, Name, DisplayName, Description string }
		if err := yaml.Unmarshal([]byte(c.Annotations["artifacthub.io/crds"]), &listed); err != nil {
			t.Fatalf("artifacthub.io/crds: %v", err)
		}
		described := map[string]string{}
		for _, crd := range listed {
			described[crd.Name] = crd.Kind + " " + crd.Version
		}
		want := map[string]string{}
		for _, crd := range ofKind[apiextensionsv1.CustomResourceDefinition](t, render(t, platformChart, origins), "CustomResourceDefinition") {
			want[crd.Name] = crd.Spec.Names.Kind + " " + crd.Spec.Versions[0].Name
		}
		if diff := cmp.Diff(want, described); diff != "" {
			t.Errorf("CRDs (-chart +annotation):\n%s", diff)
		}
	}
}
