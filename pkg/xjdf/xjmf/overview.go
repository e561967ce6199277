// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"context"
	"errors"
	"time"
)

// EntrySummary holds what a list of queue entries shows.
type EntrySummary struct {
	QueueEntryID string `json:"queueEntryId"`
	JobID        string `json:"jobId,omitempty"`
	JobPartID    string `json:"jobPartId,omitempty"`
	Status       string `json:"status"`
	Details      string `json:"details,omitempty"`
	Gang         string `json:"gang,omitempty"`
	// The times are rounded down to seconds.
	Submitted time.Time `json:"submitted,omitzero"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`
}

// Summary returns the summary of a queue entry.
func (e *QueueEntry) Summary() EntrySummary {
	at := func(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
	return EntrySummary{
		e.QueueEntryID, e.JobID, e.JobPartID, string(e.Status), e.StatusDetails, e.GangName,
		at(e.SubmissionTime), at(e.StartTime), at(e.EndTime),
	}
}

// String returns the summary as a line.
func (e EntrySummary) String() string {
	text := e.QueueEntryID + "  job " + e.JobID + "  " + e.Status
	if e.Details != "" {
		text += " (" + e.Details + ")"
	}
	if e.Gang != "" {
		text += "  gang " + e.Gang
	}
	if !e.Ended.IsZero() {
		text += "  ended " + e.Ended.Format(time.RFC3339)
	}
	return text
}

// Overview is the state of a device and of its queue.
type Overview struct {
	Status  string `json:"status"`
	Details string `json:"details,omitempty"`
	// Messages are the supported ones; empty if the device does not list them.
	Messages []string       `json:"messages"`
	Queue    []EntrySummary `json:"queue"`
}

// Overview asks for the state of the device, its queue and the messages that it supports. With the ID
// of an entry, the queue has only this entry.
func (c *Client) Overview(ctx context.Context, entryID string) (Overview, error) {
	found := Overview{Messages: []string{}, Queue: []EntrySummary{}}
	info, err := c.Status(ctx, StatusQuParams{})
	if err != nil {
		return found, err
	}
	found.Status, found.Details = string(info.Status), info.StatusDetails
	if entryID != "" {
		entry, err := c.Entry(ctx, entryID)
		if err != nil {
			return found, err
		}
		found.Queue = append(found.Queue, entry.Summary())
	} else {
		queue, err := c.Queue(ctx, nil)
		if err != nil {
			return found, err
		}
		for i := range queue.QueueEntry {
			found.Queue = append(found.Queue, queue.QueueEntry[i].Summary())
		}
	}
	services, err := c.KnownMessages(ctx)
	if err != nil && !errors.Is(err, NotImplemented) {
		return found, err
	}
	for _, s := range services {
		found.Messages = append(found.Messages, s.Type)
	}
	return found, nil
}
