// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func TestStatusesAreThoseOfTheVocabulary(t *testing.T) {
	t.Parallel()
	var nodes, devices []string
	for _, status := range xjmf.NodeStatuses() {
		nodes = append(nodes, status.String())
		if read, err := xjmf.ParseNodeStatus(status.String()); read != status || err != nil {
			t.Errorf("%s reads back as %s, %v", status, read, err)
		}
	}
	for _, status := range xjmf.DeviceStatuses() {
		devices = append(devices, status.String())
		if read, err := xjmf.ParseDeviceStatus(status.String()); read != status || err != nil {
			t.Errorf("%s reads back as %s, %v", status, read, err)
		}
	}
	for name, got := range map[string][]string{"Status": nodes, "DeviceStatus": devices} {
		if diff := cmp.Diff(vocabulary.Load().List(name).Values, got); diff != "" {
			t.Errorf("%s (-vocabulary +types):\n%s", name, diff)
		}
	}
}

func TestTheZeroStatusIsNone(t *testing.T) {
	t.Parallel()
	node, device := xjmf.NodeStatus{}, xjmf.DeviceStatus{}
	if !node.IsZero() || node.String() != "" || node.Terminal() || !device.IsZero() || device.String() != "" {
		t.Errorf("the zero statuses are %q and %q", node, device)
	}
	for _, status := range xjmf.NodeStatuses() {
		if status.IsZero() || status == node || node.Leads(node) || status.Leads(node) {
			t.Errorf("%s is none, or leads to none", status)
		}
	}
}

// The types of the three vocabularies have no conversion between them, nor from
// a text, so no program that mixes them up compiles.
func TestAStageCannotBecomeAStatus(t *testing.T) {
	t.Parallel()
	types := []reflect.Type{
		reflect.TypeFor[xjmf.Stage](), reflect.TypeFor[xjmf.NodeStatus](), reflect.TypeFor[xjmf.DeviceStatus](),
		reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](),
	}
	for _, from := range types {
		for _, to := range types[:3] {
			if from != to && from.ConvertibleTo(to) {
				t.Errorf("%s converts to %s", from, to)
			}
		}
	}
	status := reflect.TypeFor[xjmf.NodeStatus]()
	for i := range status.NumField() {
		if status.Field(i).IsExported() {
			t.Errorf("anybody can set %s of a status", status.Field(i).Name)
		}
	}
}

func TestEveryStageHasAStatusOfTheVocabularyThatFitsItsDetails(t *testing.T) {
	t.Parallel()
	words := vocabulary.Load()
	seen := map[string]bool{}
	for _, stage := range xjmf.Stages() {
		status, details := stage.External()
		node, _, known := words.StatusDetails(details)
		if status.IsZero() || !known || !strings.Contains(" "+node+" ", " "+status.String()+" ") {
			t.Errorf("%s is %s with %s, which goes with %q", stage, status, details, node)
		}
		if seen[stage.String()] || stage.String() == "" {
			t.Errorf("two stages are called %q", stage)
		}
		seen[stage.String()] = true
		if _, err := xjmf.ParseNodeStatus(stage.String()); err == nil {
			t.Errorf("our word %q is one of the external vocabulary", stage)
		}
	}
	if status, details := (xjmf.Stage{}).External(); !status.IsZero() || details != "" {
		t.Errorf("no stage is %s with %s", status, details)
	}
}

func TestWordsThatAreNoStatusAreRefusedWithAHint(t *testing.T) {
	t.Parallel()
	node := func(word string) error { _, err := xjmf.ParseNodeStatus(word); return err }
	device := func(word string) error { _, err := xjmf.ParseDeviceStatus(word); return err }
	for name, c := range map[string]struct {
		parse      func(string) error
		word, hint string
	}{
		"JMF 1 said Ready":                 {node, "Ready", "write Waiting"},
		"JMF 1 said Running of jobs":       {node, "Running", "write InProgress"},
		"JMF 1 said Running of devices":    {device, "Running", "write Production"},
		"JMF 1 said Down":                  {device, "Down", "write Offline"},
		"Held is an activation now":        {node, "Held", "QueueEntry/@Activation"},
		"Spawned is of JDF 1":              {node, "Spawned", "JDF 1"},
		"PendingReturn is a detail now":    {node, "PendingReturn", "StatusDetails"},
		"a device's status of a job":       {node, "Production", "that is the status of a device"},
		"a job's status of a device":       {device, "InProgress", "that is the status of a job"},
		"case counts":                      {node, "inprogress", "write InProgress"},
		"case counts for devices":          {device, "IDLE", "write Idle"},
		"white space counts":               {node, " Completed", "one of Aborted, Cleanup"},
		"nothing":                          {node, "", "one of Aborted, Cleanup"},
		"what a workflow calls it":         {node, "on press", "one of Aborted, Cleanup"},
		"what a workflow calls its device": {device, "preflight", "one of Cleanup, Idle"},
	} {
		var refused *xjmf.StatusError
		err := c.parse(c.word)
		if !errors.As(err, &refused) || !errors.Is(err, xjmf.ErrStatus) || !strings.Contains(refused.Hint, c.hint) || refused.Word != c.word {
			t.Errorf("%s: error = %v, want a hint with %q", name, err, c.hint)
		}
	}
}
