// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The return codes of responses to callbacks (A.4.2).
const (
	returnSuccess        = 0
	returnNotImplemented = 5
)

// reply is the response to a callback, without the warnings that depend on job states.
type reply struct {
	delivery *Delivery
	// device is our own DeviceID; ids are the ids of the document and of each
	// response.
	device string
	ids    []string
	now    time.Time
}

// comment explains a result to the sender. The code is its Comment/@Type.
type comment struct{ code, text string }

// bytes encodes a response to each message, in the encoding of the callback. warnings
// holds all warnings of each message.
func (a *reply) bytes(warnings [][]comment) ([]byte, error) {
	root := xjdf.New("XJMF").Set("Version", "2.2")
	a.header(root, 0, a.delivery.ID)
	for i := range a.delivery.Messages {
		a.respond(root, i, warnings[i])
	}
	var out bytes.Buffer
	var err error
	if a.delivery.Encoding == xjdf.XML {
		err = xjdf.WriteXML(&out, root)
	} else {
		err = xjdf.WriteJSON(&out, root)
	}
	if err != nil {
		return nil, fmt.Errorf("answer XJMF: %w", err)
	}
	return out.Bytes(), nil
}

// header adds a Header with the id at an index, which refers to a received id if that is
// not empty.
func (a *reply) header(of *xjdf.Node, id int, refersTo string) {
	header := of.Add("Header").Set("DeviceID", a.device).Set("ID", a.ids[id]).Set("Time", a.now.Format(instantLayout))
	if refersTo != "" {
		header.Set("refID", refersTo)
	}
}

// respond adds the response to the message at an index.
func (a *reply) respond(root *xjdf.Node, i int, warnings []comment) {
	message := &a.delivery.Messages[i]
	code, class, comments := returnSuccess, "Warning", warnings
	if message.Unsupported {
		code, class = returnNotImplemented, "Error"
		supported := slices.Sorted(maps.Keys(supportedMessages))
		comments = []comment{{"MESSAGE_UNSUPPORTED", fmt.Sprintf("%s is not supported: send one of %s", clip(message.Name), strings.Join(supported, ", "))}}
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
		notification.Add("Comment").Set("Type", comment.code).Text = comment.text
	}
}

// families lists the prefixes of messages that have a response of their own.
var families = []string{"Signal", "Command", "Query"}

// responseName returns the element that responds to a message: ResponseNotification for
// messages without a response of their own.
func responseName(message *Message) string {
	for _, family := range families {
		verb, found := strings.CutPrefix(message.Name, family)
		if found && vocabulary.Load().Element("Response"+verb) != nil {
			return "Response" + verb
		}
	}
	return "ResponseNotification"
}

// instantLayout is the layout of a dateTime with milliseconds, in UTC.
const instantLayout = "2006-01-02T15:04:05.000Z"
