// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The names of the StatefulSets of the trial servers.
const (
	trialDatabase = "printmarket-trial-database"
	trialRedis    = "printmarket-trial-redis"
)

// TestPlatformWithTrialServers installs the trial of docs/guides/install.md, in which every server
// is a pod. The images contain the servers of this machine.
func TestPlatformWithTrialServers(t *testing.T) {
	p := newPlatform(t)
	p.makeVolumes()
	definitions := p.kubectl("", "get", "crd", "partnerentitlements.marketplace.printmarket.dev", "--ignore-not-found", "--output=name")
	policies := p.kubectl("", "get", "validatingadmissionpolicy", "printmarket-partnerentitlements", "--ignore-not-found", "--output=name")
	p.writeValues(p.trialServers() + fmt.Sprintf("crds: {enabled: %t}\nadmissionPolicy: {enabled: %t}\n", definitions == "", policies == ""))
	p.installPlatform()
	p.openCapabilities()
	p.steps([]step{
		{"the first RFQ and the first preflight", (*platform).firstRequests},
		{"killed servers keep their data", (*platform).killedServers},
		{"the database is restored to an earlier time", (*platform).restoredTrial},
		{"a reinstallation reuses passwords and volumes", (*platform).reinstalled},
	})
}

// makeVolumes creates three volumes, because the cluster has no provisioner. The third is for the
// Redis after the restore. Unlike with a provisioner, the group of a volume is not set to that of
// the pod.
func (p *platform) makeVolumes() {
	p.Helper()
	for i := range 3 {
		directory := filepath.Join(p.TempDir(), "volume")
		p.must(os.Mkdir(directory, 0o700))
		p.must(os.Chmod(directory, 0o777))
		name := fmt.Sprintf("%s-%d", p.namespace, i)
		p.kubectl(fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %q}
spec:
  storageClassName: %q
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: %q}
`, name, p.namespace, directory), "create", "--filename=-")
		p.volumes = append(p.volumes, name)
	}
}

// killedServers kills both servers while a job is in the queue.
func (p *platform) killedServers() {
	rfq := p.rfq()
	p.scale(0, "printmarket-worker-preflight")
	job := p.submit()
	p.kubectl("", "delete", "pod", trialDatabase+"-0", trialRedis+"-0", "--grace-period=1")
	p.serversReady()
	p.readable(rfq)
	p.scale(2, "printmarket-worker-preflight")
	p.awaitSuccess(job)
}

// serversReady waits until the pod of each trial server is ready again.
func (p *platform) serversReady() {
	p.Helper()
	for _, name := range []string{trialDatabase, trialRedis} {
		p.kubectl("", "rollout", "status", "statefulset/"+name, "--timeout=120s")
	}
}

// readable waits until an RFQ can be read, because processes may have to reconnect first.
func (p *platform) readable(rfq string) {
	p.Helper()
	await(p.T, "the RFQ is read", func() error {
		if got := p.send(http.MethodGet, "/api/v1/rfq/"+rfq, p.live, ""); got.status != http.StatusOK {
			return fmt.Errorf("GET RFQ: %s, want 200", got)
		}
		return nil
	})
}

// restoredTrial follows docs/guides/restore.md for the trial servers.
func (p *platform) restoredTrial() {
	var dump bytes.Buffer
	p.restoreAndVerify(func() {
		p.inDatabase(nil, &dump, "pg_dump", "--username=printmarket", "--format=custom", "printmarket")
	}, func() {
		p.inDatabase(&dump, nil, "pg_restore", "--username=printmarket", "--dbname=printmarket", "--clean", "--if-exists", "--single-transaction")
		p.kubectl("", "scale", "statefulset/"+trialRedis, "--replicas=0")
		p.kubectl("", "delete", "persistentvolumeclaim", "data-"+trialRedis+"-0")
		p.kubectl("", "scale", "statefulset/"+trialRedis, "--replicas=1")
		p.serversReady()
	})
}

// inDatabase runs a program in the pod of the trial database.
func (p *platform) inDatabase(in io.Reader, out io.Writer, program ...string) {
	p.Helper()
	command := cluster.Command(p.Context(), append([]string{"--namespace=" + p.namespace, "exec", "--stdin", trialDatabase + "-0", "--"}, program...)...)
	var stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = in, out, &stderr
	if err := command.Run(); err != nil {
		p.Fatalf("%v: %v\n%s", program, err, &stderr)
	}
}

// reinstalled uninstalls the platform and installs it again. Passwords and volumes stay the same,
// so the records are still there.
func (p *platform) reinstalled() {
	rfq := p.rfq()
	passwords := p.trialPasswords()
	p.helm("uninstall", "market", "--wait", "--timeout=2m")
	p.installPlatform()
	if got := p.trialPasswords(); got != passwords {
		p.Error("the passwords of the trial servers changed")
	}
	p.readable(rfq)
	p.awaitSuccess(p.submit())
}

func (p *platform) trialPasswords() string {
	p.Helper()
	return p.kubectl("", "get", "secret", trialDatabase, trialDatabase+"-owner", trialRedis, "--output=jsonpath={.items[*].data}")
}

// trialServers packs images of the trial servers, and returns the values that name them.
func (p *platform) trialServers() string {
	p.Helper()
	postgres, valkey := p.postgresImage(), p.valkeyImage()
	var values bytes.Buffer
	for server, name := range map[string]string{"database": postgres, "redis": valkey} {
		repository, tag, _ := strings.Cut(name, ":")
		fmt.Fprintf(&values, "%s: {trial: {enabled: true, image: {repository: %s, tag: %s, pullPolicy: Never}, storage: {className: %s}}}\n",
			server, repository, tag, p.namespace)
	}
	return values.String()
}
