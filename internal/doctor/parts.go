// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Unspecified reports a part whose address is missing.
func Unspecified(part, how string) Examination {
	return Examination{Part: part, Run: func(context.Context) []Finding {
		return []Finding{{Check: part, Severity: Skipped, Detail: "no address is given: " + how}}
	}}
}

// Database examines the settings that servers require, the schema and the clock.
func Database(url string, insecure bool, timeout time.Duration) Examination {
	return Examination{Part: "database", Run: func(ctx context.Context) []Finding {
		store, err := postgres.Open(ctx, url, postgres.Options{MaxConns: 1, AcquireTimeout: timeout, Insecure: insecure})
		if volatile := (*postgres.VolatileError)(nil); errors.As(err, &volatile) {
			return []Finding{Fail("settings", "Change the setting: otherwise a crash loses acknowledged records, and the servers do not start.", "%v", volatile)}
		}
		if errors.Is(err, postgres.ErrInsecure) {
			return []Finding{Fail("tls", "Change the URL, or allow it with --insecure-database in a network that you trust.", "%v", err)}
		}
		if err != nil {
			return []Finding{Fail("reach", "Check the host, TLS and role in the URL; kubectl describe secret shows which Secret contains it.", "%s", telemetry.Redact(err.Error()))}
		}
		defer func() { _ = store.Close() }()
		schema := store.CheckSchema(ctx)
		found := []Finding{
			Well("settings", "acknowledged writes are on disk"),
			Unless(schema, "schema", "the schema matches this program", "Run printmarket migrate, or the hook of the chart; processes of the older version can keep running meanwhile.", Failure),
		}
		if schema != nil {
			return found
		}
		skew, err := store.Skew(ctx)
		if err != nil {
			return append(found, Fail("clock", "Check whether the database is reachable all the time.", "%s", telemetry.Redact(err.Error())))
		}
		return append(found, Clock("the database", skew))
	}}
}

// Redis examines the settings that the queue requires, and the clock.
func Redis(connect func() (*redis.Client, *queue.Queue, error)) Examination {
	return Examination{Part: "redis", Run: func(ctx context.Context) []Finding {
		client, q, err := connect()
		if err != nil {
			return []Finding{Fail("reach", "", "%v", err)}
		}
		defer func() { _ = client.Close() }()
		return redisFindings(ctx, client, q)
	}}
}

func redisFindings(ctx context.Context, client *redis.Client, q *queue.Queue) []Finding {
	server, err := q.Server(ctx)
	switch {
	case errors.Is(err, queue.ErrPolicy):
		return []Finding{Fail("policy", "Run CONFIG SET maxmemory-policy noeviction and set it in the configuration of Redis: any other policy can delete jobs.", "%v", err)}
	case errors.Is(err, queue.ErrOld):
		return []Finding{Fail("version", "Use Redis 7.0 or Valkey 8 or newer.", "%v", err)}
	case err != nil:
		return []Finding{Fail("reach", "Check the host, password and TLS. RFQs work without Redis; preflight jobs wait.", "%s", telemetry.Redact(err.Error()))}
	}
	found := []Finding{Well("policy", "noeviction")}
	if server.Durable {
		found = append(found, Well("append-only file", "enabled"))
	} else {
		found = append(found, Beware("append-only file", "Set appendonly yes: without it, every open job runs again after a crash.", "disabled"))
	}
	if used := server.Memory * 100; used > 70 {
		found = append(found, Beware("memory", "Raise maxmemory, or find the tenants with many jobs: printmarket queue stats. At 85 % submissions are rejected.", "%.0f %% of maxmemory is used", used))
	} else {
		found = append(found, Well("memory", "%.0f %% of maxmemory is used", used))
	}
	before := time.Now()
	theirs, err := client.Time(ctx).Result()
	if err != nil {
		return append(found, Fail("clock", "Allow the Redis user the command: ACL +time.", "%s", telemetry.Redact(err.Error())))
	}
	return append(found, Clock("Redis", theirs.Sub(before.Add(time.Since(before)/2))))
}

// Cluster examines the CustomResourceDefinitions and the objects of a cluster.
func Cluster(load func() (*rest.Config, string, error)) Examination {
	return Examination{Part: "cluster", Run: func(ctx context.Context) []Finding {
		config, namespace, err := load()
		if err != nil {
			return []Finding{Fail("reach", "Check the kubeconfig: kubectl auth whoami.", "%v", err)}
		}
		reader, err := kubesource.NewClient(config, v1alpha1.AddToScheme, apiextensionsv1.AddToScheme)
		if err != nil {
			return []Finding{Fail("reach", "Check the kubeconfig: kubectl auth whoami.", "%v", err)}
		}
		return append(definitions(ctx, reader), objects(ctx, reader, namespace)...)
	}}
}

// definitions compares the CRDs of the cluster with the CRDs of this program.
func definitions(ctx context.Context, reader *kubesource.Client) []Finding {
	files, err := fs.ReadDir(config.FS, config.CRDDir)
	if err != nil {
		return []Finding{Fail("definitions", "", "%v", err)}
	}
	var other []string
	for _, file := range files {
		same, err := sameDefinition(ctx, reader, path.Join(config.CRDDir, file.Name()))
		if apierrors.IsForbidden(err) {
			return []Finding{{Check: "definitions", Severity: Skipped, Detail: "you are not allowed to read them: " + err.Error()}}
		}
		if err != nil {
			return []Finding{Fail("definitions", "Install them: kubectl apply -k config/crd, or the chart.", "%v", err)}
		}
		if !same {
			other = append(other, strings.TrimSuffix(file.Name(), ".yaml"))
		}
	}
	if len(other) > 0 {
		return []Finding{Beware("definitions", "Upgrade them with the chart, before or together with the servers: unknown fields are dropped or rejected.", "%s differ from those of this program", strings.Join(other, ", "))}
	}
	return []Finding{Well("definitions", "%d, all equal to those of this program", len(files))}
}

func sameDefinition(ctx context.Context, reader *kubesource.Client, file string) (bool, error) {
	text, err := fs.ReadFile(config.FS, file)
	if err != nil {
		return false, err
	}
	var want, got apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &want); err != nil {
		return false, err
	}
	if err := reader.Get(ctx, apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), types.NamespacedName{Name: want.Name}, &got); err != nil {
		return false, err
	}
	return len(got.Spec.Versions) == len(want.Spec.Versions) &&
		equality.Semantic.DeepEqual(got.Spec.Versions[0].Schema, want.Spec.Versions[0].Schema), nil
}

// maxObjects limits the examined objects of a kind.
const maxObjects = 500

// objects counts the objects that are not ready, and names some.
func objects(ctx context.Context, reader *kubesource.Client, namespace string) []Finding {
	var found []Finding
	for _, kind := range []struct {
		name string
		list runtime.Object
	}{
		{"partnerentitlements", &v1alpha1.PartnerEntitlementList{}},
		{"capabilityrollouts", &v1alpha1.CapabilityRolloutList{}},
		{"xjmfsenders", &v1alpha1.XJMFSenderList{}},
	} {
		if err := reader.List(ctx, v1alpha1.GroupVersion.WithResource(kind.name), namespace, maxObjects, kind.list); err != nil {
			found = append(found, Fail(kind.name, "Grant get and list on the three kinds: bind the Role printmarket-viewer.", "%v", err))
			continue
		}
		found = append(found, readyObjects(kind.name, kind.list))
	}
	return found
}

// maxNamed limits the objects that a finding names.
const maxNamed = 5

func readyObjects(kind string, list runtime.Object) Finding {
	total, unready := 0, []string{}
	// The visitor returns no error, and the lists are lists.
	_ = apimeta.EachListItem(list, func(object runtime.Object) error {
		total++
		name, conditions := conditionsOf(object)
		if ready := apimeta.FindStatusCondition(conditions, v1alpha1.ConditionReady); ready == nil {
			unready = append(unready, name+" (no status)")
		} else if ready.Status != metav1.ConditionTrue {
			unready = append(unready, fmt.Sprintf("%s (%s)", name, ready.Reason))
		}
		return nil
	})
	if len(unready) == 0 {
		return Well(kind, "%d, all ready", total)
	}
	shown := strings.Join(unready[:min(maxNamed, len(unready))], ", ")
	if len(unready) > maxNamed {
		shown += ", ..."
	}
	return Beware(kind, "Their conditions show why: kubectl describe "+kind+". If they have no status, no controller is running.", "%d of %d are not ready: %s", len(unready), total, shown)
}

func conditionsOf(object runtime.Object) (name string, conditions []metav1.Condition) {
	switch o := object.(type) {
	case *v1alpha1.PartnerEntitlement:
		return o.Name, o.Status.Conditions
	case *v1alpha1.CapabilityRollout:
		return o.Name, o.Status.Conditions
	case *v1alpha1.XJMFSender:
		return o.Name, o.Status.Conditions
	default:
		return "", nil
	}
}
