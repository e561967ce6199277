// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/kubetest"
)

const (
	// scaleVariable sets the numbers of partners and replicas to measure, such as 10000x50.
	scaleVariable = "PRINTMARKET_SCALE"
	// stepTimeout limits each step.
	stepTimeout = 10 * time.Minute
	// scaleEdits is the number of timed edits of each kind.
	scaleEdits = 20
	// scaleSenders have a Secret each.
	scaleSenders = 100
	// fewPartners is the number of partners with the capability whose kill switch is timed.
	fewPartners = 20
	// realReplicas is the number of replicas that compile; together they need all CPUs of the
	// machine. Each of the others reports the watermark of one of them.
	realReplicas = 50
	// silentReplicas stop responding, and silentLimit is the time from an edit until Propagated
	// must be right beside them.
	silentReplicas = 20
	silentLimit    = 2 * time.Second
)

// scale is a marketplace of many partners and replicas. All clients are in this process and share
// the CPUs with the servers; in production replicas have their own CPUs.
type scale struct {
	*installation
	*meter

	writes             *writeWatch
	partners, replicas int
	followers          []follower
	// endpoints are the EndpointSlices of all replicas.
	endpoints []*discoveryv1.EndpointSlice
	gatesUser *rest.Config
}

// TestScale measures the resources that many partners and replicas use in the clients and the control
// plane. It fails if a status is written that did not change.
func TestScale(t *testing.T) {
	var partners, replicas int
	if _, err := fmt.Sscanf(os.Getenv(scaleVariable), "%dx%d", &partners, &replicas); err != nil {
		t.Skipf("takes a quarter of an hour; set %s, such as to 10000x50", scaleVariable)
	}
	s := newScale(t, partners, replicas)
	s.found()
	s.fill()
	leader := s.firstStatuses()
	s.grow()
	s.rests()
	s.timesEdits()
	s.silences()
	s.changesAll()
	leader.stop()
	leader = s.restarts()
	s.changesLeader(leader)
	s.restartsServer()
}

func newScale(t *testing.T, partners, replicas int) *scale {
	t.Helper()
	plane := kubetest.Start(t)
	s := &scale{installation: newInstallationOn(t, plane), meter: newMeter(t, plane), partners: partners, replicas: replicas}
	s.writes = s.watched()
	s.served = true // grows adds the replicas
	s.gatesUser = s.userWith(readRole(t, "gates_role.yaml", s.namespace), "gates").Config()
	return s
}

// step measures the resources that some work uses, and prints them.
func (s *scale) step(name string, work func()) spent {
	s.t.Helper()
	before := s.read(s.t)
	work()
	after := s.read(s.t)
	used := after.since(before)
	s.t.Logf("%s: %v\n    resident: clients %d MB, kube-apiserver %d MB, etcd %d MB", name, used,
		after.used[0].resident>>20, after.used[1].resident>>20, after.used[2].resident>>20)
	return used
}

// found creates a marketplace without partners, and the first replica.
func (s *scale) found() {
	for _, capability := range append(slices.Clone(scaleCapabilities), fewCapability) {
		s.create(rollout(string(capability)))
	}
	for i := range scaleSenders {
		name := scaleName(i)
		s.create(secret("xjmf-"+name, secretValue), sender(name, name, "xjmf-"+name))
	}
	// The controllers create the gate Secret, without which a replica has no posture.
	first := s.controllers()
	s.compiles(first)
	s.grows(1)
	first.stop()
}

// fill creates the partners while no controller runs.
func (s *scale) fill() { s.fillFrom(0) }

// fillFrom creates the partners from an index.
func (s *scale) fillFrom(first int) {
	s.step("partners are made", func() {
		const lanes = 8
		var group sync.WaitGroup
		for lane := range lanes {
			group.Go(func() {
				for i := first + lane; i < s.partners; i += lanes {
					o := scalePartner(i)
					o.Namespace = s.namespace
					if err := s.admin.Create(s.t.Context(), o); err != nil {
						s.t.Errorf("s.admin.Create: %v", err)
						return
					}
				}
			})
		}
		group.Wait()
	})
}

// scaleCapabilities are granted to every partner, fewCapability to a few.
var scaleCapabilities = []v1alpha1.CapabilityName{"rfq-create", "rfq-read", "rfq-list", "quote-read"}

const fewCapability = "preflight"

func scaleName(i int) string { return fmt.Sprintf("partner-%05d", i) }

func scalePartner(i int) *v1alpha1.PartnerEntitlement {
	p := partner(scaleName(i))
	p.Spec.OrganizationID = fmt.Sprintf("org_%06d", i)
	p.Spec.Contract.EffectiveFrom = metav1.NewTime(time.Now().AddDate(-1, 0, 0).Truncate(time.Second))
	p.Spec.Capabilities, p.Spec.Keys = nil, nil
	for _, name := range scaleCapabilities {
		p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: name})
	}
	if i < fewPartners {
		p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: fewCapability})
	}
	for _, kind := range []v1alpha1.KeyKind{v1alpha1.KeyKindLive, v1alpha1.KeyKindTest} {
		digest := sha256.Sum256([]byte(p.Name + string(kind)))
		p.Spec.Keys = append(p.Spec.Keys, v1alpha1.APIKey{
			Name: strings.ToLower(string(kind)), Kind: kind, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(digest[:]),
			Scopes: []v1alpha1.Scope{"quote:read", "preflight:write"},
		})
	}
	p.Spec.Scopes = append(p.Spec.Scopes, "quote:read", "preflight:write")
	return p
}

// controllers starts controllers as in production, but in this process and with
// a longer Lease.
func (s *scale) controllers() *process {
	return s.start(s.elect, func(mo *ctrl.Options, o *controllers.Options) {
		// The long Lease keeps the leadership on a slow machine. A stopping leader always releases
		// the Lease.
		mo.RetryPeriod, mo.LeaseDuration, mo.RenewDeadline = nil, new(2*time.Minute), new(time.Minute)
		o.Now, o.Intervals = time.Now, controllers.Intervals{}
	})
}

// objects returns the number of objects with a status.
func (s *scale) objects() int { return s.partners + scaleSenders + len(scaleCapabilities) + 1 }

func (s *scale) firstStatuses() *process {
	var leader *process
	used := s.step("first statuses", func() {
		leader = s.controllers()
		s.compiles(leader)
		s.writes.settles(s.t, 3*time.Second)
	})
	if n := used.writes(); n < s.partners || n > 2*s.objects() {
		s.t.Errorf("%d statuses of %d objects were written, want one for each partner and at most two for each object", n, s.objects())
	}
	return leader
}

// compiles waits until controllers lead and have compiled all objects once.
func (s *scale) compiles(p *process) {
	began := time.Now()
	<-p.elected
	elected := time.Since(began)
	for p.ready(nil) != nil {
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Logf("leads after %v, has compiled after %v", elected, time.Since(began))
}

// grow adds the replicas in steps and prints the memory of each new replica, without the first one.
func (s *scale) grow() {
	for _, n := range []int{2, 10, realReplicas} {
		base, former := live(), len(s.followers)
		if n = min(n, s.replicas); n <= former {
			continue
		}
		s.grows(n)
		s.t.Logf("%d replicas: %.1f MB of live heap for each new one", n, float64(live()-base)/float64(n-former)/1e6)
	}
	for i := realReplicas; i < s.replicas; i++ {
		s.network.route(opsOf(i), s.network.routeOf(opsOf(i%realReplicas)))
		s.addEndpoint(i)
	}
	s.step("statuses after that", func() { s.writes.settles(s.t, 3*time.Second) })
}

// grows adds replicas that compile until there are n.
func (s *scale) grows(n int) {
	former := len(s.followers)
	s.step(fmt.Sprintf("first posture of %d replicas that start together", n-former), func() {
		for len(s.followers) < n {
			config := rest.CopyConfig(s.gatesUser)
			config.Dial = s.dial
			s.followers = append(s.followers, s.follow(addressOf(len(s.followers)), kubesource.Config{Rest: config, Now: time.Now}))
		}
		s.decide(func(f follower) bool { return f.gates.Current(time.Now()) != nil })
	})
	// As in production, a replica without a posture is not an endpoint.
	for i := former; i < n; i++ {
		s.addEndpoint(i)
	}
}

func (s *scale) addEndpoint(i int) {
	slice := sliceOf(addressOf(i), fmt.Sprintf("pod-%d", i))
	s.create(slice)
	s.endpoints = append(s.endpoints, slice)
}

// addressOf returns the address of a replica, opsOf that of its operations listener.
func addressOf(i int) string { return fmt.Sprintf("10.0.%d.%d", 1+i/250, 1+i%250) }
func opsOf(i int) string     { return net.JoinHostPort(addressOf(i), "8082") }

// silences makes the last replicas accept connections and never respond. It measures the time from
// an edit until Propagated is right: in the first seconds, when they count as silent, and when they
// leave.
func (s *scale) silences() {
	if s.replicas <= realReplicas+silentReplicas {
		return
	}
	silent, enforcing := s.endpoints[s.replicas-silentReplicas:], s.replicas-silentReplicas
	hole, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatalf("listen: %v", err)
	}
	defer func() { _ = hole.Close() }()
	for i := enforcing; i < s.replicas; i++ {
		s.network.route(opsOf(i), hole.Addr().String())
	}
	behind := fmt.Sprintf("%d of %d replicas enforce this generation", enforcing, s.replicas)
	report := fmt.Sprintf("%s; %d do not respond.", behind, silentReplicas)
	s.propagates("replicas stop responding", false, func(message string) bool { return strings.HasPrefix(message, behind) }, nil)
	time.Sleep(3 * controllersSilence)
	for range 5 {
		s.propagates("replicas are silent", false, func(message string) bool { return message == report }, nil)
	}
	s.propagates("silent replicas leave", true, func(string) bool { return true }, func() {
		for _, slice := range silent {
			s.edit(slice, func() { slice.Endpoints[0].Conditions.Serving = new(false) })
		}
	})
}

// controllersSilence is the default of controllers.Intervals.Silence.
const controllersSilence = 5 * time.Second

// propagates edits a kill switch, makes a further change, and requires that Propagated of the
// edit has a status and a message in time. The time of the further change does not count.
func (s *scale) propagates(name string, want bool, right func(message string) bool, further func()) {
	s.t.Helper()
	capability := rollout(fewCapability)
	capability.Namespace = s.namespace
	if err := s.refresh(capability); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	began := time.Now()
	s.edit(capability, func() {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: name + rand.Text()}
	})
	if further != nil {
		further()
		began = time.Now()
	}
	for {
		c := meta.FindStatusCondition(capability.Status.Conditions, v1alpha1.ConditionPropagated)
		if c != nil && c.ObservedGeneration == capability.Generation && (c.Status == metav1.ConditionTrue) == want && right(c.Message) {
			break
		}
		if time.Since(began) > stepTimeout {
			s.t.Fatalf("%s: Propagated is %+v", name, c)
		}
		time.Sleep(5 * time.Millisecond)
		if err := s.refresh(capability); err != nil {
			s.t.Fatalf("refresh: %v", err)
		}
	}
	took := time.Since(began)
	s.t.Logf("%s: Propagated is right after %v", name, took.Round(time.Millisecond))
	if took > silentLimit {
		s.t.Errorf("%s: Propagated is right after %v, want at most %v", name, took, silentLimit)
	}
}

// decide waits until a condition holds for every replica, and returns the times of the first and of
// the last replica.
func (s *scale) decide(holds func(follower) bool) (first, last time.Duration) {
	s.t.Helper()
	began := time.Now()
	waiting := slices.Clone(s.followers)
	for len(waiting) > 0 {
		before := len(waiting)
		waiting = slices.DeleteFunc(waiting, holds)
		last = time.Since(began)
		if first == 0 && len(waiting) < before {
			first = last
		}
		if last > stepTimeout {
			s.t.Fatalf("%d replicas have not reached the condition: %+v", len(waiting), waiting[0].Status())
		}
		time.Sleep(500 * time.Microsecond)
	}
	return first, last
}

func (s *scale) rests() {
	used := s.step("a minute at rest", func() { time.Sleep(time.Minute) })
	if n := used.writes(); n > 0 {
		s.t.Errorf("%d statuses were written without a change, want 0", n)
	}
}

// timesEdits edits one object at a time, and waits until the object is Ready.
func (s *scale) timesEdits() {
	capability := rollout(fewCapability)
	s.times("kill switch", capability, fewPartners+1, func(i int) {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchReleased, Reason: "INC-1"}
		if i%2 == 0 {
			capability.Spec.KillSwitch.State = v1alpha1.KillSwitchEngaged
		}
	})
	acme := scalePartner(s.partners - 1)
	// A grant changes the counts of the capability as well.
	s.times("grant", acme, 2, func(i int) {
		acme.Spec.Capabilities = acme.Spec.Capabilities[:len(scaleCapabilities)]
		if i%2 == 0 {
			acme.Spec.Capabilities = append(acme.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: fewCapability})
		}
	})
}

// times makes edits of an object; each edit changes the given number of statuses.
func (s *scale) times(name string, o client.Object, statuses int, edit func(int)) {
	s.t.Helper()
	o.SetNamespace(s.namespace)
	if err := s.refresh(o); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	var firsts, lasts, readyAfter []time.Duration
	used := s.step(fmt.Sprintf("%d edits: %s", scaleEdits, name), func() {
		for i := range scaleEdits {
			first, last, ready := s.timeOne(o, func() { edit(i) })
			firsts, lasts, readyAfter = append(firsts, first), append(lasts, last), append(readyAfter, ready)
			s.writes.settles(s.t, time.Second)
		}
	})
	for _, times := range [][]time.Duration{firsts, lasts, readyAfter} {
		slices.Sort(times)
	}
	at := func(times []time.Duration, q float64) time.Duration {
		return times[int(q*float64(len(times)-1))].Round(time.Millisecond)
	}
	s.t.Logf("%s: first replica p50 %v; last replica p50 %v, p99 %v, max %v; Ready p50 %v, max %v", name, at(firsts, 0.5),
		at(lasts, 0.5), at(lasts, 0.99), at(lasts, 1), at(readyAfter, 0.5), at(readyAfter, 1))
	// Each object has at most two writes: Progressing and Enforced.
	if n := used.writes(); n > scaleEdits*(statuses+3) {
		s.t.Errorf("%d statuses were written in %d edits, want at most %d for each", n, scaleEdits, statuses+3)
	}
}

// timeOne returns the times from an edit until the first replica enforces it, until the
// last one does, and until the object's status reports it.
func (s *scale) timeOne(o client.Object, edit func()) (first, last, readyAfter time.Duration) {
	s.t.Helper()
	before := s.followers[0].gates.Current(time.Now()).Revision()
	began := time.Now()
	s.edit(o, edit)
	sent := time.Since(began)
	first, last = s.decide(func(f follower) bool { return f.gates.Current(time.Now()).Revision() != before })
	for is(o, v1alpha1.ConditionPropagated, "True/AllReplicas") != nil {
		if time.Since(began) > stepTimeout {
			s.t.Fatalf("the object is not Ready in time: %+v", conditions(o))
		}
		time.Sleep(5 * time.Millisecond)
		if err := s.refresh(o); err != nil {
			s.t.Fatalf("refresh: %v", err)
		}
	}
	return first + sent, last + sent, time.Since(began)
}

// changesAll changes the reported status of every partner. While the statuses are written, it makes
// another urgent edit.
func (s *scale) changesAll() {
	capability := rollout(string(scaleCapabilities[0]))
	capability.Namespace = s.namespace
	if err := s.refresh(capability); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	const engaged = v1alpha1.KillSwitchEngaged
	used := s.step("kill switch of all partners", func() {
		began := time.Now()
		first, last, readyAfter := s.timeOne(capability, func() {
			capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: engaged, Reason: "INC-2"}
		})
		s.t.Logf("first replica %v, last %v, Ready %v", first, last, readyAfter)
		s.killsFew(engaged, "an edit meanwhile")
		s.t.Logf("the last status came after %v", s.writes.settles(s.t, 3*time.Second).Sub(began))
	})
	if n := used.writes(); n > s.partners+fewPartners+10 {
		s.t.Errorf("%d statuses of %d partners were written, want about one for each", n, s.partners)
	}
}

// killsFew measures one edit of a kill switch during other work.
func (s *scale) killsFew(state v1alpha1.KillSwitchState, when string) {
	few := rollout(fewCapability)
	few.Namespace = s.namespace
	if err := s.refresh(few); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	first, last, readyAfter := s.timeOne(few, func() { few.Spec.KillSwitch = &v1alpha1.KillSwitch{State: state, Reason: "INC-3"} })
	s.t.Logf("%s: first replica %v, last %v, Ready %v", when, first, last, readyAfter)
}

// restarts starts controllers again without a change of the objects.
func (s *scale) restarts() *process {
	var leader *process
	used := s.step("restart of the controllers", func() {
		leader = s.controllers()
		s.compiles(leader)
		s.writes.settles(s.t, 10*time.Second)
	})
	if n := used.writes(); n > 0 {
		s.t.Errorf("%d statuses were written by a restart, want 0", n)
	}
	return leader
}

func (s *scale) changesLeader(leader *process) {
	next := s.controllers()
	time.Sleep(10 * time.Second) // until its cache has everything
	used := s.step("change of the leader", func() {
		leader.stop()
		s.compiles(next)
		s.writes.settles(s.t, 10*time.Second)
	})
	if n := used.writes(); n > 0 {
		s.t.Errorf("%d statuses were written by a change of the leader, want 0", n)
	}
}

// restartsServer kills kube-apiserver, and waits until every replica has confirmed its snapshot with
// a live read.
func (s *scale) restartsServer() {
	s.plane.StopServer()
	began := time.Now()
	s.plane.Restart(s.t)
	s.find(s.t)
	s.t.Logf("kube-apiserver is ready again after %v", time.Since(began))
	ready := time.Now()
	s.step("return of kube-apiserver", func() {
		first, last := s.decide(func(f follower) bool { return f.Status().ProvenAt.After(ready) })
		s.t.Logf("confirmed by the first replica after %v, by the last after %v", first, last)
	})
	s.killsFew(v1alpha1.KillSwitchReleased, "an edit after it")
}
