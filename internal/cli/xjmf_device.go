// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
)

// deviceTokenVariable names the variable with the bearer token of a device.
const deviceTokenVariable = "PRINTMARKET_XJMF_TOKEN"

// deviceAccess holds the flags that select a device.
type deviceAccess struct {
	to, deviceID string
	json         bool
	timeout      time.Duration
}

func (a *deviceAccess) register(f *pflag.FlagSet) {
	f.StringVar(&a.to, "to", "", "XJMF URL of the device (required)")
	f.StringVar(&a.deviceID, "device-id", "printmarket", "DeviceID of the sender")
	f.BoolVar(&a.json, "json-encoding", false, "send JSON instead of XML; devices before XJDF 2.2 read XML only")
	f.DurationVar(&a.timeout, "timeout", time.Minute, "maximum time for the device to respond")
}

// open returns a client of the device. Shop floors use http (9.5), but a token needs https.
func (a *deviceAccess) open() (*xjmf.Client, error) {
	config := xjmf.ClientConfig{URL: a.to, DeviceID: a.deviceID, Encoding: xjdf.XML, Now: time.Now, HTTP: &http.Client{Timeout: a.timeout}}
	if a.json {
		config.Encoding = xjdf.CanonicalJSON
	}
	if token := os.Getenv(deviceTokenVariable); token != "" {
		if err := checkURL(a.to, fmt.Errorf("the URL must be like https://press.example.com/xjmf, not %q", a.to), "a token"); err != nil {
			return nil, err
		}
		config.Authorize = func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}
	}
	return xjmf.NewClient(config)
}

// deviceEntry is a queue entry in the output.
type deviceEntry struct {
	QueueEntryID string `json:"queueEntryId"`
	JobID        string `json:"jobId,omitempty"`
	JobPartID    string `json:"jobPartId,omitempty"`
	Status       string `json:"status"`
	Details      string `json:"details,omitempty"`
	Gang         string `json:"gang,omitempty"`
	// Submitted, Started and Ended are in RFC 3339.
	Submitted string `json:"submitted,omitempty"`
	Started   string `json:"started,omitempty"`
	Ended     string `json:"ended,omitempty"`
}

func newDeviceEntry(e *xjmf.QueueEntry) deviceEntry {
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	return deviceEntry{
		QueueEntryID: e.QueueEntryID, JobID: e.JobID, JobPartID: e.JobPartID, Status: string(e.Status), Details: e.StatusDetails, Gang: e.GangName,
		Submitted: at(e.SubmissionTime), Started: at(e.StartTime), Ended: at(e.EndTime),
	}
}

// deviceStatus is the output of xjmf status.
type deviceStatus struct {
	Status  string `json:"status"`
	Details string `json:"details,omitempty"`
	// Messages are the supported ones; empty if the device does not list them.
	Messages []string      `json:"messages"`
	Queue    []deviceEntry `json:"queue"`
}

func submitXJMFCommand() *cobra.Command {
	var access deviceAccess
	var params xjmf.QueueSubmissionParams
	var gang string
	var priority int64
	return command[deviceEntry]{
		use: "submit FILE [ATTACHMENT...]", short: "Submit a job to a device, with the files that it refers to",
		long: `Submit the XJDF document FILE to the queue of a device, and print the queue entry. The
document and its attachments are sent as one package: XJDF refers to an attachment by the
name of the file, without its folder. A bearer token is read from
$` + deviceTokenVariable + `. Exit code 1 means that the device did not accept the job.`,
		example: `  printmarket xjmf submit job.xjdf pages.pdf --to http://press.example.com:8080/xjmf
  printmarket xjmf submit card.xjdf --to https://press.example.com/xjmf --gang CARDS-135`,
		args: cobra.MinimumNArgs(1), outputs: []string{"text"}, required: []string{"to"},
		flags: func(f *pflag.FlagSet) {
			access.register(f)
			f.StringVar(&gang, "gang", "", "gang that the job joins")
			f.Int64Var(&priority, "priority", 0, "priority in the queue, from 0 to 100 (default: that of the device)")
			f.StringVar(&params.ReturnJMF, "return-to", "", "URL to which the device returns the job")
		},
		print: func(w io.Writer, e deviceEntry) { line(w, e.text()) },
	}.local(func(cmd *cobra.Command, args []string) (made deviceEntry, err error) {
		document, err := readTree(cmd, args[0])
		if err != nil {
			return made, err
		}
		if document.Root.Name.Local != "XJDF" {
			return made, fmt.Errorf("%s is %s, not an XJDF document", args[0], printable(document.Root.Name.String()))
		}
		submission := xjmf.Submission{Params: params, Job: document.Root}
		if cmd.Flags().Changed("priority") {
			submission.Params.Priority = &priority
		}
		if gang != "" {
			submission.Params.GangName, submission.Params.GangPolicy = gang, xjmf.Gang
		}
		for _, name := range args[1:] {
			submission.Files = append(submission.Files, pack.File{
				Name: filepath.Base(name), MediaType: "application/octet-stream", Open: func() (io.ReadCloser, error) { return os.Open(name) },
			})
		}
		client, err := access.open()
		if err != nil {
			return made, err
		}
		entry, err := client.Submit(cmd.Context(), submission)
		return newDeviceEntry(&entry), err
	})
}

func (e *deviceEntry) text() string {
	text := fmt.Sprintf("%s  job %s  %s", e.QueueEntryID, e.JobID, e.Status)
	if e.Details != "" {
		text += " (" + e.Details + ")"
	}
	if e.Gang != "" {
		text += "  gang " + e.Gang
	}
	if e.Ended != "" {
		text += "  ended " + e.Ended
	}
	return text
}

func statusXJMFCommand() *cobra.Command {
	var access deviceAccess
	return command[deviceStatus]{
		use: "status [ENTRY]", short: "Print the state and the queue of a device",
		long: `Print the state of a device, its queue, or one ENTRY of it, and the messages that it
supports. A bearer token is read from $` + deviceTokenVariable + `.`,
		example: `  printmarket xjmf status --to http://press.example.com:8080/xjmf
  printmarket xjmf status QE1 --to http://press.example.com:8080/xjmf -o json`,
		args: cobra.MaximumNArgs(1), outputs: []string{"text"}, required: []string{"to"}, flags: access.register,
		print: func(w io.Writer, s deviceStatus) {
			line(w, strings.TrimSpace(s.Status+" "+s.Details))
			for i := range s.Queue {
				line(w, "  "+s.Queue[i].text())
			}
			if len(s.Messages) > 0 {
				line(w, "supports "+strings.Join(s.Messages, ", "))
			}
		},
	}.local(func(cmd *cobra.Command, args []string) (deviceStatus, error) {
		found := deviceStatus{Messages: []string{}, Queue: []deviceEntry{}}
		client, err := access.open()
		if err != nil {
			return found, err
		}
		info, err := client.Status(cmd.Context(), xjmf.StatusQuParams{})
		if err != nil {
			return found, err
		}
		found.Status, found.Details = string(info.Status), info.StatusDetails
		if len(args) == 1 {
			entry, err := client.Entry(cmd.Context(), args[0])
			if err != nil {
				return found, err
			}
			found.Queue = append(found.Queue, newDeviceEntry(&entry))
		} else {
			queue, err := client.Queue(cmd.Context(), nil)
			if err != nil {
				return found, err
			}
			for i := range queue.QueueEntry {
				found.Queue = append(found.Queue, newDeviceEntry(&queue.QueueEntry[i]))
			}
		}
		services, err := client.KnownMessages(cmd.Context())
		if err != nil && !errors.Is(err, xjmf.NotImplemented) {
			return found, err
		}
		for _, s := range services {
			found.Messages = append(found.Messages, s.Type)
		}
		return found, nil
	})
}
