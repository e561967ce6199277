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

func TestStatusesMatchVocabulary(t *testing.T) {
	t.Parallel()
	var nodes, devices []string
	for _, status := range xjmf.NodeStatuses() {
		nodes = append(nodes, status.String())
		if read, err := xjmf.ParseNodeStatus(status.String()); read != status || err != nil {
			t.Errorf("%s parses as %s with error %v", status, read, err)
		}
	}
	for _, status := range xjmf.DeviceStatuses() {
		devices = append(devices, status.String())
		if read, err := xjmf.ParseDeviceStatus(status.String()); read != status || err != nil {
			t.Errorf("%s parses as %s with error %v", status, read, err)
		}
	}
	for name, got := range map[string][]string{"Status": nodes, "DeviceStatus": devices} {
		if diff := cmp.Diff(vocabulary.Load().List(name).Values, got); diff != "" {
			t.Errorf("%s (-vocabulary +types):\n%s", name, diff)
		}
	}
}

func TestZeroStatusIsInvalid(t *testing.T) {
	t.Parallel()
	node, device := xjmf.NodeStatus{}, xjmf.DeviceStatus{}
	if !node.IsZero() || node.String() != "" || node.Terminal() || !device.IsZero() || device.String() != "" {
		t.Errorf("the zero statuses are %q and %q, want empty texts", node, device)
	}
	for _, status := range xjmf.NodeStatuses() {
		if status.IsZero() || status == node || node.Leads(node) || status.Leads(node) {
			t.Errorf("%s is the zero status, or leads to it", status)
		}
	}
}

// TestStageDoesNotConvertToStatus checks that the three types convert neither to each other
// nor from a text, so that a program that mixes them up does not compile.
func TestStageDoesNotConvertToStatus(t *testing.T) {
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
			t.Errorf("field %s of a status is exported", status.Field(i).Name)
		}
	}
}

func TestEveryStageHasMatchingStatusAndDetails(t *testing.T) {
	t.Parallel()
	words := vocabulary.Load()
	seen := map[string]bool{}
	for _, stage := range xjmf.Stages() {
		status, details := stage.External()
		node, _, known := words.StatusDetails(details)
		if status.IsZero() || !known || !strings.Contains(" "+node+" ", " "+status.String()+" ") {
			t.Errorf("stage %s has status %s with details %s, which belong to status %q", stage, status, details, node)
		}
		if seen[stage.String()] || stage.String() == "" {
			t.Errorf("two stages have the name %q", stage)
		}
		seen[stage.String()] = true
		if _, err := xjmf.ParseNodeStatus(stage.String()); err == nil {
			t.Errorf("the internal word %q is in the external vocabulary", stage)
		}
	}
	if status, details := (xjmf.Stage{}).External(); !status.IsZero() || details != "" {
		t.Errorf("the zero stage has status %s with details %s, want neither", status, details)
	}
}

func TestInvalidStatusIsRejectedWithHint(t *testing.T) {
	t.Parallel()
	node := func(word string) error { _, err := xjmf.ParseNodeStatus(word); return err }
	device := func(word string) error { _, err := xjmf.ParseDeviceStatus(word); return err }
	for name, c := range map[string]struct {
		parse      func(string) error
		word, hint string
	}{
		"Ready in JMF 1":                    {node, "Ready", "write Waiting"},
		"Running of jobs in JMF 1":          {node, "Running", "write InProgress"},
		"Running of devices in JMF 1":       {device, "Running", "write Production"},
		"Down in JMF 1":                     {device, "Down", "write Offline"},
		"Held is an activation now":         {node, "Held", "QueueEntry/@Activation"},
		"Spawned is of JDF 1":               {node, "Spawned", "JDF 1"},
		"PendingReturn is a detail now":     {node, "PendingReturn", "StatusDetails"},
		"a device's status of a job":        {node, "Production", "that is the status of a device"},
		"a job's status of a device":        {device, "InProgress", "that is the status of a job"},
		"another case":                      {node, "inprogress", "write InProgress"},
		"another case of a device status":   {device, "IDLE", "write Idle"},
		"white space":                       {node, " Completed", "one of Aborted, Cleanup"},
		"nothing":                           {node, "", "one of Aborted, Cleanup"},
		"internal stage as a job status":    {node, "on press", "one of Aborted, Cleanup"},
		"internal stage as a device status": {device, "preflight", "one of Cleanup, Idle"},
	} {
		var refused *xjmf.StatusError
		err := c.parse(c.word)
		if !errors.As(err, &refused) || !errors.Is(err, xjmf.ErrStatus) || !strings.Contains(refused.Hint, c.hint) || refused.Word != c.word {
			t.Errorf("%s: error = %v, want a hint with %q", name, err, c.hint)
		}
	}
}
