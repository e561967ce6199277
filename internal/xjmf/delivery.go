// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Delivery is the content of a callback.
type Delivery struct {
	// ID is XJMF/Header/@ID, or empty if it is missing.
	ID string
	// DeviceID is XJMF/Header/@DeviceID.
	DeviceID string
	// At is XJMF/Header/@Time, in whole milliseconds.
	At       time.Time
	Encoding xjdf.Encoding
	// Messages are in processing order. A JSON document has exactly one.
	Messages []Message
}

// Message is one message of a callback.
type Message struct {
	// Name is the name of the element, such as SignalStatus.
	Name string
	// ID is Header/@ID of the message, or empty if it is missing.
	ID string
	// Unsupported messages have no updates. They are stored, and the response has the
	// return code 5 (not implemented).
	Unsupported bool
	Updates     []Update
	// Warnings describes unusual content, in the order of the message.
	Warnings []string
}

// Horizon is the largest distance of XJMF/Header/@Time from the current time. The time is
// signed, so the horizon limits how long a copy of a callback remains valid.
type Horizon struct{ Back, Ahead time.Duration }

// DefaultHorizon allows a reliable sender to repeat its signals for a day.
func DefaultHorizon() Horizon { return Horizon{Back: 24 * time.Hour, Ahead: 5 * time.Minute} }

// The bounds of a delivery.
const (
	maxMessages = 100
	maxUpdates  = 1000
	maxToken    = 255
)

// Read converts a document to a Delivery. It fails with an [InvalidError], or with a
// [HorizonError] if there is no other fault.
func Read(document *xjdf.Document, now time.Time, horizon Horizon) (Delivery, error) {
	r := reader{faults: faults{document: document}, now: now, horizon: horizon}
	r.read(document.Root)
	if len(r.violations) > 0 {
		return Delivery{}, &InvalidError{Violations: r.violations, More: r.more}
	}
	if r.untimely != nil {
		return Delivery{}, r.untimely
	}
	r.delivery.Encoding = document.Encoding
	return r.delivery, nil
}

// reader reads one document and collects its faults.
type reader struct {
	faults
	now      time.Time
	horizon  Horizon
	untimely *HorizonError
	delivery Delivery
	updates  int
}

func (r *reader) read(root *xjdf.Node) {
	if !r.isXJMF(root) {
		return
	}
	header := root.Child("Header")
	if header == nil {
		r.element(root, "XJMF has no Header", "")
		return
	}
	origin := r.header(header, origin{})
	r.delivery.ID, r.delivery.DeviceID, r.delivery.At = origin.id, origin.device, origin.at
	if r.untimely == nil && r.now.Sub(origin.at) > r.horizon.Back {
		r.untimely = &HorizonError{Place: r.document.AttributePlace(header, "Time"), At: origin.at}
	}
	for _, child := range root.Children {
		if child.Name.Core() && child.Name.Local == "Header" {
			continue
		}
		switch n := len(r.delivery.Messages); {
		case n == maxMessages:
			r.element(child, fmt.Sprintf("the document has more than %d messages", maxMessages), "send several documents")
			return
		case n == 1 && r.document.Encoding != xjdf.XML:
			r.element(child, "XJMF in JSON can contain only one message", "send a document for each message")
			return
		}
		r.delivery.Messages = append(r.delivery.Messages, r.message(child, origin))
	}
	if len(r.delivery.Messages) == 0 {
		r.element(root, "XJMF has no message", "")
	}
}

// isXJMF reports whether the root is XJMF of a supported version.
func (r *reader) isXJMF(root *xjdf.Node) bool {
	switch {
	case root.Name.Space == xjdf.LegacyNamespace:
		r.element(root, "JMF 1 is not supported", "send XJMF 2.2")
	case !root.Name.Core() || root.Name.Local != "XJMF":
		r.element(root, fmt.Sprintf("the root is %s; it must be XJMF in the namespace of XJDF 2", clip(root.Name.String())), "")
	default:
		switch version, _ := root.Attr("Version"); version {
		case "", "2.0", "2.1", "2.2":
			return true
		default:
			r.attribute(root, "Version", fmt.Sprintf("version %q is not supported", clip(version)), "send XJMF 2.2")
		}
	}
	return false
}

// origin is the content of a Header.
type origin struct {
	id, device string
	at         time.Time
}

// header reads a Header. The Header of a message inherits DeviceID and Time from the
// document, whose Header must have both.
func (r *reader) header(n *xjdf.Node, outer origin) origin {
	made := origin{device: outer.device, at: outer.at}
	if id, found := n.Attr("ID"); found {
		made.id = r.token(n, "ID", id)
	}
	if device, found := n.Attr("DeviceID"); found {
		made.device = r.token(n, "DeviceID", device)
	} else if outer.device == "" {
		r.attribute(n, "DeviceID", "DeviceID is required", "")
	}
	if text, found := n.Attr("Time"); found {
		made.at = r.time(n, text)
	} else if outer.at.IsZero() {
		r.attribute(n, "Time", "Time is required", "")
	}
	return made
}

// time reads Header/@Time. A message from the future is a fault, because every following
// message would be late.
func (r *reader) time(n *xjdf.Node, text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 1 {
		r.attribute(n, "Time", "Time is not a dateTime with a time zone", "write a time such as 2026-11-20T09:30:00Z")
		return time.Time{}
	}
	at = at.UTC().Truncate(time.Millisecond)
	if at.Sub(r.now) > r.horizon.Ahead && r.untimely == nil {
		r.untimely = &HorizonError{Place: r.document.AttributePlace(n, "Time"), At: at, Ahead: true}
	}
	return at
}

// token checks the value of an attribute that is an identifier: an NMTOKEN of 1 to
// maxToken bytes.
func (r *reader) token(n *xjdf.Node, name, value string) string {
	switch {
	case value == "" || len(value) > maxToken:
		r.attribute(n, name, fmt.Sprintf("%s must have 1 to %d bytes", name, maxToken), "")
	case strings.ContainsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }):
		r.attribute(n, name, name+" is no NMTOKEN: it has white space or control characters", "")
	default:
		return value
	}
	return ""
}

// message reads one message. outer is the Header of the document.
func (r *reader) message(n *xjdf.Node, outer origin) Message {
	made := Message{Name: n.Name.Local}
	own := origin{device: outer.device, at: outer.at}
	if header := n.Child("Header"); header != nil {
		own = r.header(header, outer)
	}
	made.ID = own.id
	extract, supported := supportedMessages[n.Name.Local]
	if !supported || !n.Name.Core() {
		made.Unsupported = true
		return made
	}
	// Check the closed lists and the required content of the vocabulary. Unknown names
	// may be extensions and pass, but every status must be in the vocabulary.
	message := n
	for n := range message.Descendants() {
		if !n.Name.Core() {
			continue
		}
		for i := range n.Attributes {
			if a := &n.Attributes[i]; a.Name.Space == "" {
				r.checkAttribute(n, a)
			}
		}
		if n.Definition != nil && n.Name.Local != "Header" {
			r.checkRequired(n, n == message)
		}
	}
	if extract != nil {
		x := extraction{reader: r, message: &made, origin: own}
		extract(&x, n)
	}
	return made
}

// clip shortens a quotation from a document to 60 characters.
func clip(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return text
}
