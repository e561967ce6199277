// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf/xjmftest"
)

// A controller submits a job with its file, follows it with signals, and gets it back.
func Example() {
	clock := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }
	device := &xjmftest.Device{ID: "PRESS-1", Now: clock}
	press := httptest.NewServer(device)
	defer press.Close()

	// The receiver gets its URL when its server has an address.
	server := httptest.NewUnstartedServer(nil)
	receiver, err := xjmf.NewReceiver(xjmf.ReceiverConfig{
		URL: "http://" + server.Listener.Addr().String(), DeviceID: "MIS", Now: clock,
		Returned: func(_ context.Context, r xjmf.Return) error {
			fmt.Println("returned:", r.QueueEntryID)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Config.Handler = receiver
	server.Start()
	defer server.Close()

	client, err := xjmf.NewClient(xjmf.ClientConfig{URL: press.URL, DeviceID: "MIS", Encoding: xjdf.XML, Now: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	channel, err := client.Subscribe(ctx, receiver, &xjmf.QueryStatus{}, func(_ context.Context, m xjmf.Message) error {
		if signal, ok := m.(*xjmf.SignalStatus); ok {
			for _, phase := range signal.DeviceInfo.JobPhase {
				fmt.Println("signal:", phase.JobID, phase.Status)
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	job := xjdf.New("XJDF").Set("JobID", "J-42").Set("Types", "ConventionalPrinting").Set("Version", "2.2")
	pages := job.Add("ResourceSet").Set("Name", "RunList").Set("Usage", "Input").Add("Resource").Add("RunList")
	pages.Add("FileSpec").Set("URL", "pages.pdf")
	entry, err := client.Submit(ctx, xjmf.Submission{
		Job: job, Files: []pack.File{pack.Bytes("pages.pdf", "application/pdf", []byte("%PDF-1.7 ..."))},
		Params: xjmf.QueueSubmissionParams{ReturnJMF: "http://" + server.Listener.Addr().String()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("submitted:", entry.QueueEntryID, entry.Status)

	for !entry.Status.Ended() {
		if err := device.Step(ctx); err != nil { // a real device works by itself
			fmt.Println(err)
			return
		}
		if entry, err = client.Entry(ctx, entry.QueueEntryID); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("ended:", entry.Status)
	if err := channel.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// submitted: QE1 Waiting
	// signal: J-42 InProgress
	// signal: J-42 Completed
	// returned: QE1
	// ended: Completed
}

// A device that refuses a message says why with a return code.
func ExampleReturnError() {
	clock := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }
	press := httptest.NewServer(&xjmftest.Device{ID: "PRESS-1", Now: clock})
	defer press.Close()
	client, err := xjmf.NewClient(xjmf.ClientConfig{URL: press.URL, DeviceID: "MIS", Encoding: xjdf.XML, Now: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Modify(context.Background(), xjmf.ModifyQueueEntryParams{
		Operation: xjmf.OperationAbort, QueueFilter: xjmf.QueueFilter{QueueEntryIDs: []string{"QE9"}},
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, xjmf.UnknownQueueEntry))
	// Output:
	// CommandModifyQueueEntry was refused: the queue has no such entry (105): the queue has no such entry
	// true
}
