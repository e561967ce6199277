// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
)

// ReceiverConfig holds the settings of a [Receiver].
type ReceiverConfig struct {
	// URL is the public URL of the receiver, which subscriptions and submissions name.
	URL string
	// DeviceID identifies the receiver, which is a controller, in its responses.
	DeviceID string
	// Returned handles a job that a device returns. It may be nil: the receiver then answers
	// [NotImplemented].
	Returned func(context.Context, Return) error
	// Requested handles the request of a device for a job. It may be nil, as Returned.
	Requested func(context.Context, *CommandRequestQueueEntry) error
	// Limits bound a document, Package a package of a returned job.
	Limits  xjdf.Limits
	Package pack.Limits
	// Timeout bounds the time in which a device must send its request; 30 seconds if it is 0.
	Timeout time.Duration
	// Remember is the number of messages whose IDs are kept to recognize a repeated one;
	// 10,000 if it is 0.
	Remember int
	// Now is the clock. NewID returns an ID that no other message of this receiver has; nil
	// is a random one.
	Now   func() time.Time
	NewID func() string
}

// Return is a job that a device returns.
type Return struct {
	Header Header
	// QueueEntryID is the entry of the job in the queue of the device.
	QueueEntryID string
	// URL is the place of the XJDF. Job is that XJDF if it came in a package with the
	// message, otherwise nil: the receiver fetches nothing.
	URL string
	Job *xjdf.Document
}

// Receiver is a handler of HTTP for the messages that devices send to a controller: the
// signals of subscriptions, returned jobs and requests for jobs. It is safe for concurrent use.
//
// A message is handled once: for a repeated one, with the same DeviceID and ID, the receiver
// only acknowledges it. An error of a handler becomes the return code that it wraps, or
// [InternalError], and the device sends a reliable signal again. Several messages may be
// handled at a time, if they come in several requests.
//
// The receiver keeps IDs in memory, so a device may repeat a message after a restart with
// effect. A handler that must have no second effect stores Header.DeviceID and Header.ID in
// the transaction of its effect, and returns nil for a pair that is stored.
type Receiver struct {
	config ReceiverConfig

	mu       sync.Mutex
	handlers map[string]func(context.Context, Message) error
	// states are the known messages, and order their keys, the oldest first.
	states map[messageKey]bool
	order  []messageKey
}

// messageKey identifies a message. The value in the map is whether it was handled.
type messageKey struct{ device, id string }

// NewReceiver returns a receiver without subscriptions.
func NewReceiver(config ReceiverConfig) (*Receiver, error) {
	if err := checkURL(config.URL); err != nil {
		return nil, err
	}
	if config.DeviceID == "" || config.Now == nil {
		return nil, errors.New("a receiver needs a DeviceID and a clock")
	}
	if config.NewID == nil {
		config.NewID = randomID
	}
	if config.Limits.Bytes <= 0 {
		config.Limits.Bytes = xjdf.DefaultLimits.Bytes
	}
	if config.Package.Bytes <= 0 {
		config.Package.Bytes = 32 << 20
	}
	if config.Timeout <= 0 {
		config.Timeout = 30 * time.Second
	}
	if config.Remember <= 0 {
		config.Remember = 10_000
	}
	return &Receiver{config: config, handlers: map[string]func(context.Context, Message) error{}, states: map[messageKey]bool{}}, nil
}

// Handle sets the handler of a channel, which is the ID of the query that subscribed to it.
// Subscriptions outlive both sides: after a restart, set the handlers of the channels that
// the device still has. A nil handler ends the channel on this side: further signals are
// refused with [InvalidParameters].
func (r *Receiver) Handle(channel string, handler func(context.Context, Message) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if handler == nil {
		delete(r.handlers, channel)
		return
	}
	r.handlers[channel] = handler
}

// ServeHTTP answers one request. The status is 200 whenever the answer is XJMF (9.5.2).
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send XJMF with POST", http.StatusMethodNotAllowed)
		return
	}
	kind, _, err := mime.ParseMediaType(request.Header.Get("Content-Type"))
	packed := kind == mediaTypeZIP || kind == mediaTypeForm || kind == "multipart/related"
	if err != nil || !packed && !isMessageType(kind) {
		http.Error(w, "send XJMF as "+mediaTypeXML+" or "+mediaTypeJSON, http.StatusUnsupportedMediaType)
		return
	}
	limit := r.config.Limits.Bytes
	if packed {
		limit = r.config.Package.Bytes
	}
	// The deadline is that of a connection, so it follows the clock of the system. Writers
	// without a connection, such as those of tests, have none.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(r.config.Timeout))
	body, err := readAll(request.Body, limit)
	_ = connection.SetReadDeadline(time.Time{})
	switch {
	case errors.Is(err, ErrTooLong):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "the body took too long", http.StatusRequestTimeout)
		return
	case err != nil:
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	encoding := xjdf.CanonicalJSON
	if kind == mediaTypeZIP || !packed && xjdf.IsXML(body) {
		encoding = xjdf.XML
	}
	var jobs *pack.Package
	var document *Document
	if packed {
		if kind != mediaTypeZIP {
			body = pack.WithHeader(request.Header.Get("Content-Type"), body)
		}
		jobs, document, err = r.unpack(body)
	} else {
		document, err = Parse(body, r.config.Limits)
	}
	answer, silent := Document{}, false
	if err != nil {
		code := ValidationError
		if _, unreadable := errors.AsType[*xjdf.Error](err); unreadable {
			code = ParserError
		}
		answer.Messages = []Message{refuse(&Unknown{Element: xjdf.New("")}, code, err.Error())}
	} else {
		silent = true
		for _, m := range document.Messages {
			response := r.receive(request.Context(), m, jobs)
			signal, isSignal := m.(interface{ mode() ChannelMode })
			silent = silent && isSignal && signal.mode() == FireAndForget && response.Result().ReturnCode == Success
			answer.Messages = append(answer.Messages, response)
		}
	}
	if silent {
		return // 9.6.4: the body of the response is empty
	}
	r.write(w, &answer, encoding)
}

// mode returns the channel mode.
func (s *Signal) mode() ChannelMode { return s.ChannelMode }

// unpack returns the message of a package.
func (r *Receiver) unpack(body []byte) (*pack.Package, *Document, error) {
	jobs, err := pack.Read(body, r.config.Package)
	if err != nil {
		return nil, nil, err
	}
	message := jobs.Message()
	if message == nil {
		return nil, nil, fmt.Errorf("%w: the package has no XJMF document, or several", ErrMessages)
	}
	document, err := Decode(message.Document)
	return jobs, document, err
}

// write writes the answer. A document in JSON has one message, and so has its answer.
func (r *Receiver) write(w http.ResponseWriter, answer *Document, encoding xjdf.Encoding) {
	now := r.config.Now()
	answer.Header = Header{DeviceID: r.config.DeviceID, ID: r.config.NewID(), Time: now}
	for _, m := range answer.Messages {
		head := m.Head()
		head.DeviceID, head.ID, head.Time = r.config.DeviceID, r.config.NewID(), now
	}
	body, err := answer.Encode(encoding)
	if err != nil {
		http.Error(w, "the response cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaType(encoding))
	_, _ = w.Write(body)
}

// refuse returns a response with a code and a text that explains it.
func refuse(m Message, code ReturnCode, text string) ResponseMessage {
	response := Respond(m, code)
	response.Result().Notification = &Notification{Class: "Error", Comment: []Comment{{Text: text}}}
	return response
}

// receive handles one message and returns its response.
func (r *Receiver) receive(ctx context.Context, m Message, jobs *pack.Package) ResponseMessage {
	var handle func() error
	returned, isReturn := m.(*CommandReturnQueueEntry)
	requested, isRequest := m.(*CommandRequestQueueEntry)
	switch {
	case isReturn && r.config.Returned != nil:
		params := returned.ReturnQueueEntryParams
		result := Return{Header: returned.Header, QueueEntryID: params.QueueEntryID, URL: params.URL}
		if jobs != nil {
			for i := range jobs.Documents {
				if jobs.Documents[i].Name == params.URL {
					result.Job = jobs.Documents[i].Document
				}
			}
		}
		handle = func() error { return r.config.Returned(ctx, result) }
	case isRequest && r.config.Requested != nil:
		handle = func() error { return r.config.Requested(ctx, requested) }
	case m.family() == signals:
		r.mu.Lock()
		handler := r.handlers[m.Head().RefID]
		r.mu.Unlock()
		if handler == nil {
			return refuse(m, InvalidParameters, fmt.Sprintf("refID %.80q is the ID of no subscription of this receiver; end the subscription", m.Head().RefID))
		}
		handle = func() error { return handler(ctx, m) }
	default:
		return refuse(m, NotImplemented, NameOf(m)+" is not supported: send signals of subscriptions, CommandReturnQueueEntry or CommandRequestQueueEntry")
	}
	key := messageKey{m.Head().DeviceID, m.Head().ID}
	switch handled, known := r.begin(key); {
	case handled:
		return Respond(m, Success)
	case known:
		return refuse(m, ServiceBusy, "the same message is being handled")
	}
	succeeded := false
	defer func() { r.end(key, succeeded) }() // even if the handler panics
	err := handle()
	if succeeded = err == nil; succeeded {
		return Respond(m, Success)
	}
	code, known := errors.AsType[ReturnCode](err)
	if !known || code == Success {
		return refuse(m, InternalError, "the message could not be handled; send it again")
	}
	return Respond(m, code)
}

// begin records that a message is being handled. A message without an ID is never known.
func (r *Receiver) begin(key messageKey) (handled, known bool) {
	if key.id == "" {
		return false, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if handled, known = r.states[key]; known {
		return handled, true
	}
	r.states[key] = false
	return false, false
}

// end records the result of a message, and forgets the oldest ones.
func (r *Receiver) end(key messageKey, handled bool) {
	if key.id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !handled {
		delete(r.states, key)
		return
	}
	r.states[key] = true
	r.order = append(r.order, key)
	if len(r.order) > r.config.Remember {
		delete(r.states, r.order[0])
		r.order = r.order[1:]
	}
}

// Channel is a subscription.
type Channel struct {
	// ID is the ID of the query, and the RefID of its signals.
	ID       string
	client   *Client
	receiver *Receiver
}

// Subscribe sends a query that requests signals, and passes each of them to the handler. It
// sets the subscription of the query, with the URL of the receiver and these channel modes,
// the preferred one first; none means [Reliable]. A device that supports no subscriptions
// refuses with [SubscriptionDenied].
func (c *Client) Subscribe(ctx context.Context, r *Receiver, query Message, handler func(context.Context, Message) error, modes ...ChannelMode) (*Channel, error) {
	q, ok := query.(QueryMessage)
	if !ok {
		return nil, fmt.Errorf("subscribe: %s is not a query", NameOf(query))
	}
	if len(modes) == 0 {
		modes = []ChannelMode{Reliable}
	}
	subscription := &Subscription{ChannelMode: modes, URL: r.config.URL}
	if given := q.Request().Subscription; given != nil {
		subscription.RepeatTime = given.RepeatTime
	}
	q.Request().Subscription = subscription
	channel := &Channel{c.config.NewID(), c, r}
	query.Head().ID = channel.ID
	// The first signal may come before the response.
	r.Handle(channel.ID, handler)
	if _, err := c.Send(ctx, query); err != nil {
		r.Handle(channel.ID, nil)
		return nil, err
	}
	return channel, nil
}

// Stop ends the subscription on the device, and then on the receiver.
func (ch *Channel) Stop(ctx context.Context) error {
	_, err := ch.client.Stop(ctx, StopPersChParams{ChannelID: ch.ID, URL: ch.receiver.config.URL})
	if err != nil {
		return err
	}
	ch.receiver.Handle(ch.ID, nil)
	return nil
}

// Stop ends subscriptions on the device, and returns them. It refuses to end all: a filter
// must be set.
func (c *Client) Stop(ctx context.Context, filter StopPersChParams) ([]SubscriptionInfo, error) {
	if filter == (StopPersChParams{}) {
		return nil, errors.New("stop subscriptions: no filter is set")
	}
	response, err := exchange[*ResponseStopPersistentChannel](ctx, c, &CommandStopPersistentChannel{StopPersChParams: filter})
	if err != nil {
		return nil, err
	}
	return response.SubscriptionInfo, nil
}

// Subscriptions returns the subscriptions of the device to a URL, or all.
func (c *Client) Subscriptions(ctx context.Context, to string) ([]SubscriptionInfo, error) {
	response, err := exchange[*ResponseKnownSubscriptions](ctx, c, &QueryKnownSubscriptions{SubscriptionFilter: &SubscriptionFilter{URL: to}})
	if err != nil {
		return nil, err
	}
	return response.SubscriptionInfo, nil
}
