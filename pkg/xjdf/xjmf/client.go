// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
)

var (
	// ErrURL means that a URL is not an absolute URL with http or https.
	ErrURL = errors.New("not an absolute http or https URL")
	// ErrTooLong means that a body exceeds its limit.
	ErrTooLong = errors.New("the body is too long")
	// ErrMediaType means that a body is not XJMF by its Content-Type.
	ErrMediaType = errors.New("the Content-Type is not that of XJMF")
	// ErrResponse means that a device answered with other messages than the response to the
	// message that was sent.
	ErrResponse = errors.New("not the response to the message")
)

// StatusError means that a device answered with another HTTP status than 200.
type StatusError struct{ Code int }

// Error returns the HTTP status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP status %d %s", e.Code, http.StatusText(e.Code))
}

// ReturnError means that a device refused a message. errors.Is finds its code, as in
// errors.Is(err, xjmf.QueueClosed).
type ReturnError struct {
	// Message is the name of the refused message.
	Message string
	Code    ReturnCode
	// Comment is the text of the device, at most 200 characters.
	Comment string
}

// Error returns the message, the code and the text of the device.
func (e *ReturnError) Error() string {
	text := fmt.Sprintf("%s was refused: %s (%d)", e.Message, e.Code, int(e.Code))
	if e.Comment != "" {
		text += ": " + e.Comment
	}
	return text
}

// Unwrap returns the code.
func (e *ReturnError) Unwrap() error { return e.Code }

// ClientConfig holds the settings of a [Client].
type ClientConfig struct {
	// URL is the XJMF URL of the device.
	URL string
	// DeviceID identifies the client, which is a controller, in its messages.
	DeviceID string
	// Encoding of messages is XML or CanonicalJSON, which is the zero value. Devices that
	// implement a version before 2.2 read XML only.
	Encoding xjdf.Encoding
	// HTTP sends the requests; nil is the default client. The context of a call bounds it, and so
	// does a timeout of this client. Redirects are not followed.
	HTTP *http.Client
	// Authorize adds credentials to a request, such as a bearer token (9.5.5). It may be nil.
	Authorize func(*http.Request) error
	// Limits bound a response.
	Limits xjdf.Limits
	// Now is the clock. NewID returns an ID that no other message of this sender has; nil
	// is a random one.
	Now   func() time.Time
	NewID func() string
}

// Client sends messages to a device. It is safe for concurrent use.
type Client struct {
	config ClientConfig
	http   http.Client
}

// NewClient returns a client of one device.
func NewClient(config ClientConfig) (*Client, error) {
	if err := checkURL(config.URL); err != nil {
		return nil, err
	}
	if config.DeviceID == "" || config.Now == nil {
		return nil, errors.New("a client needs a DeviceID and a clock")
	}
	if config.NewID == nil {
		config.NewID = randomID
	}
	if config.Limits.Bytes <= 0 {
		config.Limits.Bytes = xjdf.DefaultLimits.Bytes
	}
	c := &Client{config: config}
	if config.HTTP != nil {
		c.http = *config.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// randomID returns an ID, which begins with a letter.
func randomID() string { return "m" + rand.Text() }

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%w: %.80q", ErrURL, text)
	}
	return nil
}

// Send sends one message and returns its response. It sets the DeviceID, the Time and, if it
// is empty, the ID of the message. A response with a code other than [Success] is returned
// together with a [*ReturnError]. Other errors wrap the reasons of this package, an
// [*xjdf.Error], the error of the context or that of the network.
func (c *Client) Send(ctx context.Context, m Message) (Message, error) {
	return c.send(ctx, m, nil)
}

// send sends a message alone, or in a package with files.
func (c *Client) send(ctx context.Context, m Message, files []pack.File) (Message, error) {
	now := c.config.Now()
	head := m.Head()
	head.DeviceID, head.Time = c.config.DeviceID, now
	if head.ID == "" {
		head.ID = c.config.NewID()
	}
	document := Document{Header: Header{DeviceID: c.config.DeviceID, ID: c.config.NewID(), Time: now}, Messages: []Message{m}}
	body, err := document.Encode(c.config.Encoding)
	if err != nil {
		return nil, err
	}
	answer, err := c.post(ctx, body, files)
	if err != nil {
		return nil, fmt.Errorf("send %s: %w", NameOf(m), err)
	}
	return answerTo(m, answer)
}

// post sends a body and returns the document in the response.
func (c *Client) post(ctx context.Context, message []byte, files []pack.File) (*Document, error) {
	var content io.Reader = bytes.NewReader(message)
	kind := mediaType(c.config.Encoding)
	if len(files) > 0 {
		// The package is written while it is sent. The deferred call ends the writer and waits.
		boundary := rand.Text()
		reader, pipe := io.Pipe()
		written := make(chan struct{})
		go func() {
			defer close(written)
			if c.config.Encoding == xjdf.XML {
				_ = pipe.CloseWithError(pack.WriteZIP(pipe, message, files))
			} else {
				_ = pipe.CloseWithError(pack.WriteForm(pipe, boundary, message, files))
			}
		}()
		defer func() {
			_ = reader.Close()
			<-written
		}()
		content, kind = reader, mediaTypeForm+"; boundary="+boundary
		if c.config.Encoding == xjdf.XML {
			kind = mediaTypeZIP
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.URL, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", mediaType(c.config.Encoding))
	if c.config.Authorize != nil {
		if err := c.config.Authorize(request); err != nil {
			return nil, fmt.Errorf("authorize: %w", err)
		}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, &StatusError{response.StatusCode}
	}
	if got, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || !isMessageType(got) {
		return nil, fmt.Errorf("%w: %.80q", ErrMediaType, response.Header.Get("Content-Type"))
	}
	body, err := readAll(response.Body, c.config.Limits.Bytes)
	if err != nil {
		return nil, err
	}
	return Parse(body, c.config.Limits)
}

// readAll reads at most limit bytes.
func readAll(r io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(body) > limit {
		return nil, fmt.Errorf("%w: the limit is %d bytes", ErrTooLong, limit)
	}
	return body, nil
}

// answerTo returns the response to a message. A response must name the ID of the message,
// and be of its type; a message that the device could not read gets a ResponseNotification.
func answerTo(m Message, d *Document) (Message, error) {
	if len(d.Messages) != 1 {
		return nil, fmt.Errorf("send %s: %w: %d messages", NameOf(m), ErrResponse, len(d.Messages))
	}
	answer := d.Messages[0]
	response, isResponse := answer.(ResponseMessage)
	if !isResponse {
		return nil, fmt.Errorf("send %s: %w: it is %.80q", NameOf(m), ErrResponse, NameOf(answer))
	}
	result := response.Result()
	expected := NameOf(answer) == NameOf(Respond(m, Success))
	if !expected && (NameOf(answer) != "ResponseNotification" || result.ReturnCode == Success) {
		return nil, fmt.Errorf("send %s: %w: it is %s", NameOf(m), ErrResponse, NameOf(answer))
	}
	// A device that could not read the message does not know its ID.
	if ref := result.Header.RefID; ref != m.Head().ID && (expected || ref != "") {
		return nil, fmt.Errorf("send %s: %w: it refers to %.80q, not to %q", NameOf(m), ErrResponse, ref, m.Head().ID)
	}
	if result.ReturnCode != Success {
		return answer, &ReturnError{NameOf(m), result.ReturnCode, result.Notification.text()}
	}
	return answer, nil
}

// text returns the comments in one line.
func (n *Notification) text() string {
	if n == nil {
		return ""
	}
	var texts []string
	for _, c := range n.Comment {
		texts = append(texts, strings.Fields(c.Text)...)
	}
	const longest = 200
	runes := []rune(strings.Join(texts, " "))
	return string(runes[:min(len(runes), longest)])
}

// exchange sends a message and returns its response as the type of that response.
func exchange[R Message](ctx context.Context, c *Client, m Message, files ...pack.File) (response R, err error) {
	answer, err := c.send(ctx, m, files)
	if err != nil {
		return response, err
	}
	response, ok := answer.(R)
	if !ok {
		return response, fmt.Errorf("send %s: %w: it is %s", NameOf(m), ErrResponse, NameOf(answer))
	}
	return response, nil
}

// Submission is a job to be submitted.
type Submission struct {
	// Params are the parameters of the queue entry. Without a Job, its URL is the place of
	// the XJDF, from which the device gets it.
	Params QueueSubmissionParams
	// Job is the XJDF to be sent in a package with the message, and Files those to which it
	// refers by their names.
	Job   *xjdf.Node
	Files []pack.File
}

// Submit submits a job and returns its queue entry.
func (c *Client) Submit(ctx context.Context, s Submission) (QueueEntry, error) {
	command := &CommandSubmitQueueEntry{QueueSubmissionParams: s.Params}
	files, err := c.files(s, &command.QueueSubmissionParams.URL)
	if err != nil {
		return QueueEntry{}, fmt.Errorf("submit a job: %w", err)
	}
	response, err := exchange[*ResponseSubmitQueueEntry](ctx, c, command, files...)
	if err != nil {
		return QueueEntry{}, err
	}
	if response.QueueEntry == nil {
		return QueueEntry{}, fmt.Errorf("send %s: %w: it has no QueueEntry", NameOf(command), ErrResponse)
	}
	return *response.QueueEntry, nil
}

// files returns the files of a submission, the job first, and sets the URL of the job.
func (c *Client) files(s Submission, at *string) ([]pack.File, error) {
	if s.Job == nil {
		return s.Files, nil
	}
	name, kind := "job.xjdf", "application/vnd.cip4-xjdf+xml"
	if c.config.Encoding != xjdf.XML {
		name, kind = "job.xjdf.json", "application/vnd.cip4-xjdf+json"
	}
	var body bytes.Buffer
	if err := xjdf.Write(&body, s.Job, c.config.Encoding); err != nil {
		return nil, err
	}
	*at = name
	return append([]pack.File{pack.Bytes(name, kind, body.Bytes())}, s.Files...), nil
}

// Resubmit changes the job of a queue entry. Of the parameters of the submission, only the
// URL applies.
func (c *Client) Resubmit(ctx context.Context, queueEntryID string, method UpdateMethod, s Submission) error {
	command := &CommandResubmitQueueEntry{ResubmissionParams: ResubmissionParams{queueEntryID, method, s.Params.URL}}
	files, err := c.files(s, &command.ResubmissionParams.URL)
	if err != nil {
		return fmt.Errorf("submit a job again: %w", err)
	}
	_, err = exchange[*ResponseResubmitQueueEntry](ctx, c, command, files...)
	return err
}

// Queue returns the queue with the entries of a filter, or with all.
func (c *Client) Queue(ctx context.Context, filter *QueueFilter) (Queue, error) {
	response, err := exchange[*ResponseQueueStatus](ctx, c, &QueryQueueStatus{QueueStatusParams: QueueStatusParams{filter}})
	if err != nil || response.Queue == nil {
		return Queue{}, err
	}
	return *response.Queue, nil
}

// Entry returns one entry of the queue. An entry that the queue does not have is an error
// with [UnknownQueueEntry].
func (c *Client) Entry(ctx context.Context, id string) (QueueEntry, error) {
	queue, err := c.Queue(ctx, &QueueFilter{QueueEntryIDs: []string{id}})
	if err != nil {
		return QueueEntry{}, err
	}
	i := slices.IndexFunc(queue.QueueEntry, func(e QueueEntry) bool { return e.QueueEntryID == id })
	if i < 0 {
		return QueueEntry{}, &ReturnError{"QueryQueueStatus", UnknownQueueEntry, ""}
	}
	return queue.QueueEntry[i], nil
}

// Modify changes entries of the queue, and returns them.
func (c *Client) Modify(ctx context.Context, change ModifyQueueEntryParams) ([]QueueEntry, error) {
	response, err := exchange[*ResponseModifyQueueEntry](ctx, c, &CommandModifyQueueEntry{ModifyQueueEntryParams: change})
	if err != nil {
		return nil, err
	}
	return response.QueueEntry, nil
}

// Status returns the state of the device with its active jobs.
func (c *Client) Status(ctx context.Context, of StatusQuParams) (DeviceInfo, error) {
	response, err := exchange[*ResponseStatus](ctx, c, &QueryStatus{StatusQuParams: &of})
	if err != nil || response.DeviceInfo == nil {
		return DeviceInfo{}, err
	}
	return *response.DeviceInfo, nil
}

// Resources returns resources on the device or of a job.
func (c *Client) Resources(ctx context.Context, of ResourceQuParams) ([]ResourceInfo, error) {
	response, err := exchange[*ResponseResource](ctx, c, &QueryResource{ResourceQuParams: of})
	if err != nil {
		return nil, err
	}
	return response.ResourceInfo, nil
}

// ChangeResources changes resources on the device, and returns them.
func (c *Client) ChangeResources(ctx context.Context, change ResourceCmdParams) ([]ResourceInfo, error) {
	response, err := exchange[*ResponseResource](ctx, c, &CommandResource{ResourceCmdParams: change})
	if err != nil {
		return nil, err
	}
	return response.ResourceInfo, nil
}

// Devices returns the devices that answer at the URL.
func (c *Client) Devices(ctx context.Context, details DeviceFilter) ([]Device, error) {
	response, err := exchange[*ResponseKnownDevices](ctx, c, &QueryKnownDevices{DeviceFilter: &details})
	if err != nil {
		return nil, err
	}
	return response.Device, nil
}

// ShutDown stops the device, or sends it to standby.
func (c *Client) ShutDown(ctx context.Context, extent ShutDownType) error {
	_, err := exchange[*ResponseShutDown](ctx, c, &CommandShutDown{ShutDownCmdParams: &ShutDownCmdParams{extent}})
	return err
}

// WakeUp ends the standby of the device.
func (c *Client) WakeUp(ctx context.Context) error {
	_, err := exchange[*ResponseWakeUp](ctx, c, &CommandWakeUp{})
	return err
}

// ControlPipe sends a request about a pipe.
func (c *Client) ControlPipe(ctx context.Context, of PipeParams) error {
	_, err := exchange[*ResponsePipeControl](ctx, c, &CommandPipeControl{PipeParams: of})
	return err
}

// KnownMessages returns the messages that the device supports. A controller should send no
// others (9.6.7).
func (c *Client) KnownMessages(ctx context.Context) ([]MessageService, error) {
	response, err := exchange[*ResponseKnownMessages](ctx, c, &QueryKnownMessages{})
	if err != nil {
		return nil, err
	}
	return response.MessageService, nil
}

// Gangs returns gangs by their names, or all gangs.
func (c *Client) Gangs(ctx context.Context, names ...string) ([]GangInfo, error) {
	response, err := exchange[*ResponseGangStatus](ctx, c, &QueryGangStatus{GangQuFilter: &GangQuFilter{names}})
	if err != nil {
		return nil, err
	}
	return response.GangInfo, nil
}

// ForceGang starts the waiting entries of gangs, even if more jobs would fit.
func (c *Client) ForceGang(ctx context.Context, gangs GangCmdFilter) error {
	_, err := exchange[*ResponseForceGang](ctx, c, &CommandForceGang{GangCmdFilter: gangs})
	return err
}
