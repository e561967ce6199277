// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The return codes that callbacks are answered with (A.4.2).
const (
	returnSuccess        = 0
	returnNotImplemented = 5
)

// reply is the answer to a callback, but for what the state of jobs adds.
type reply struct {
	delivery *Delivery
	// device is what we call ourselves; ids are those of the document and of
	// each response.
	device string
	ids    []string
	now    time.Time
}

// bytes writes the answer: a response to each message, in the encoding of the
// callback. Warnings are by message, those of the message itself included.
func (a *reply) bytes(warnings [][]string) ([]byte, error) {
	root := xjdf.New("XJMF").Set("Version", "2.2")
	a.header(root, 0, a.delivery.ID)
	for i := range a.delivery.Messages {
		a.respond(root, i, warnings[i])
	}
	var out bytes.Buffer
	if err := write(&out, a.delivery.Encoding, root); err != nil {
		return nil, fmt.Errorf("answer XJMF: %w", err)
	}
	return out.Bytes(), nil
}

func write(to io.Writer, encoding xjdf.Encoding, root *xjdf.Node) error {
	if encoding == xjdf.XML {
		return xjdf.WriteXML(to, root)
	}
	return xjdf.WriteJSON(to, root)
}

func (a *reply) header(of *xjdf.Node, id int, refersTo string) {
	header := of.Add("Header").Set("DeviceID", a.device).Set("ID", a.ids[id]).Set("Time", a.now.Format(instantLayout))
	if refersTo != "" {
		header.Set("refID", refersTo)
	}
}

func (a *reply) respond(root *xjdf.Node, i int, warnings []string) {
	message := &a.delivery.Messages[i]
	code, class, comments := returnSuccess, "Warning", warnings
	if message.Unsupported {
		code, class = returnNotImplemented, "Error"
		comments = []string{fmt.Sprintf("%s is not implemented here: send %s", clip(message.Name), takes())}
	}
	response := root.Add(responseName(message)).Set("ReturnCode", strconv.Itoa(code))
	refersTo := message.ID
	if refersTo == "" {
		refersTo = a.delivery.ID
	}
	a.header(response, i+1, refersTo)
	if len(comments) == 0 {
		return
	}
	notification := response.Add("Notification").Set("Class", class)
	for _, comment := range comments {
		notification.Add("Comment").Text = comment
	}
}

// families are the kinds of messages that are answered by a response of their
// own name.
var families = []string{"Signal", "Command", "Query"}

// responseName is the element that answers a message. What has no response of
// its own is answered by a ResponseNotification.
func responseName(message *Message) string {
	for _, family := range families {
		verb, found := strings.CutPrefix(message.Name, family)
		if found && vocabulary.Load().Element("Response"+verb) != nil {
			return "Response" + verb
		}
	}
	return "ResponseNotification"
}

// takes lists the messages that are implemented.
func takes() string {
	names := make([]string, 0, len(supportedMessages))
	for name := range supportedMessages {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// instantLayout is a dateTime with milliseconds, in UTC.
const instantLayout = "2006-01-02T15:04:05.000Z"
