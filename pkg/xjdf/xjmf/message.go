// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"reflect"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Document is an XJMF document. JSON holds exactly one message, XML any number.
type Document struct {
	Version string
	// Header identifies the sender of the document, which may be a proxy.
	Header   Header
	Messages []Message
}

// Message is one message: a pointer to one of the types of this package whose names begin
// with Query, Command, Signal or Response, or an [Unknown].
type Message interface {
	// Head returns the header of the message.
	Head() *Header
	family() family
}

// family is the family of a message (7.2).
type family string

const (
	queries   family = "Query"
	commands  family = "Command"
	signals   family = "Signal"
	responses family = "Response"
)

// Header says who generated a message, and when (7.1.2).
type Header struct {
	AgentName, AgentVersion string
	// DeviceID identifies the sender.
	DeviceID string
	// ID identifies the message among all messages of the sender. A signal that is sent
	// again has the same ID.
	ID string
	// RefID is the ID of the message that a response or a signal answers.
	RefID string `xjmf:"refID"`
	Time  time.Time
}

// Query retrieves information from a device, once or for as long as the subscription lasts.
type Query struct {
	Header       Header
	Subscription *Subscription
}

// Subscription requests signals (7.2.1.1).
type Subscription struct {
	// ChannelMode lists the accepted modes, the preferred one first.
	ChannelMode []ChannelMode
	// RepeatTime requests a signal every so many seconds, in addition to those of changes.
	RepeatTime *float64
	// URL receives the signals.
	URL string
}

// ChannelMode states whether a device sends a signal again until it is acknowledged.
type ChannelMode string

// The channel modes (A.2.9).
const (
	FireAndForget ChannelMode = "FireAndForget"
	Reliable      ChannelMode = "Reliable"
)

// Command changes the state of a device.
type Command struct{ Header Header }

// Signal reports an event to a subscriber.
type Signal struct {
	Header      Header
	ChannelMode ChannelMode
}

// Response answers one message, synchronously.
type Response struct {
	Header     Header
	ReturnCode ReturnCode
	// Notification explains a code other than [Success].
	Notification *Notification
}

// Unknown is a message that XJDF 2.2 does not have.
type Unknown struct {
	Header  Header
	Element *xjdf.Node
}

// Head returns the header.
func (q *Query) Head() *Header { return &q.Header }

// Head returns the header.
func (c *Command) Head() *Header { return &c.Header }

// Head returns the header.
func (s *Signal) Head() *Header { return &s.Header }

// Head returns the header.
func (r *Response) Head() *Header { return &r.Header }

// Head returns the header.
func (u *Unknown) Head() *Header { return &u.Header }

func (*Query) family() family    { return queries }
func (*Command) family() family  { return commands }
func (*Signal) family() family   { return signals }
func (*Response) family() family { return responses }

func (u *Unknown) family() family {
	for _, f := range []family{queries, commands, signals, responses} {
		if strings.HasPrefix(u.Element.Name.Local, string(f)) {
			return f
		}
	}
	return ""
}

// QueryMessage is a message that requests information, once or as a subscription.
type QueryMessage interface {
	Message
	// Request returns the part that all queries have.
	Request() *Query
}

// Request returns the query itself.
func (q *Query) Request() *Query { return q }

// ResponseMessage is a message that answers another one.
type ResponseMessage interface {
	Message
	// Result returns the part that all responses have.
	Result() *Response
}

// Result returns the response itself.
func (r *Response) Result() *Response { return r }

// NameOf returns the name of the element of a message, such as "QueryStatus".
func NameOf(m Message) string {
	if u, unknown := m.(*Unknown); unknown {
		return u.Element.Name.Local
	}
	return reflect.TypeOf(m).Elem().Name()
}

// The messages about the queue of a device (7.20, 7.9, 7.12, 7.16, 7.15, 7.13).
type (
	// CommandSubmitQueueEntry submits a job.
	CommandSubmitQueueEntry struct {
		Command

		QueueSubmissionParams QueueSubmissionParams
	}
	// ResponseSubmitQueueEntry has the queue entry of an accepted job.
	ResponseSubmitQueueEntry struct {
		Response

		QueueEntry *QueueEntry
	}
	// CommandModifyQueueEntry changes the entries of a filter.
	CommandModifyQueueEntry struct {
		Command

		ModifyQueueEntryParams ModifyQueueEntryParams
	}
	// ResponseModifyQueueEntry has the entries after the change.
	ResponseModifyQueueEntry struct {
		Response

		QueueEntry []QueueEntry
	}
	// QueryQueueStatus requests the entries of the queue.
	QueryQueueStatus struct {
		Query

		QueueStatusParams QueueStatusParams
	}
	// ResponseQueueStatus has the entries of the queue.
	ResponseQueueStatus struct {
		Response

		Queue *Queue
	}
	// SignalQueueStatus reports a change of the queue.
	SignalQueueStatus struct {
		Signal

		Queue Queue
	}
	// CommandReturnQueueEntry returns a job from the device to the URL that its submission
	// named.
	CommandReturnQueueEntry struct {
		Command

		ReturnQueueEntryParams ReturnQueueEntryParams
	}
	// ResponseReturnQueueEntry acknowledges a returned job.
	ResponseReturnQueueEntry struct{ Response }
	// CommandResubmitQueueEntry replaces or changes the XJDF of an entry.
	CommandResubmitQueueEntry struct {
		Command

		ResubmissionParams ResubmissionParams
	}
	// ResponseResubmitQueueEntry acknowledges the change.
	ResponseResubmitQueueEntry struct{ Response }
	// CommandRequestQueueEntry requests a job: the device sends it to a controller.
	CommandRequestQueueEntry struct {
		Command

		RequestQueueEntryParams RequestQueueEntryParams
	}
	// ResponseRequestQueueEntry acknowledges the request. The controller submits the job in
	// a message of its own.
	ResponseRequestQueueEntry struct{ Response }
)

// The messages about the device and its resources (7.18, 7.14, 7.10, 7.6, 7.17, 7.21, 7.11).
type (
	// QueryStatus requests the state of the device and of its jobs.
	QueryStatus struct {
		Query

		StatusQuParams *StatusQuParams
	}
	// ResponseStatus has the state of the device.
	ResponseStatus struct {
		Response

		DeviceInfo *DeviceInfo
	}
	// SignalStatus reports a change of state.
	SignalStatus struct {
		Signal

		DeviceInfo DeviceInfo
	}
	// QueryResource requests resources, such as the paper in a press.
	QueryResource struct {
		Query

		ResourceQuParams ResourceQuParams
	}
	// CommandResource changes resources, such as the paper that an operator has loaded.
	CommandResource struct {
		Command

		ResourceCmdParams ResourceCmdParams
	}
	// ResponseResource has the resources. It answers the query and the command.
	ResponseResource struct {
		Response

		ResourceInfo []ResourceInfo
	}
	// SignalResource reports resources, such as the consumption of a job.
	SignalResource struct {
		Signal

		ReplaceAfter, ReplaceBefore time.Time
		ResourceInfo                []ResourceInfo
	}
	// QueryNotification requests events.
	QueryNotification struct{ Query }
	// ResponseNotification acknowledges a query or a signal. It also answers a message that
	// cannot be read.
	ResponseNotification struct{ Response }
	// SignalNotification reports an event.
	SignalNotification struct {
		Signal

		Notification Notification
	}
	// QueryKnownDevices requests the devices that a controller or a device knows.
	QueryKnownDevices struct {
		Query

		DeviceFilter *DeviceFilter
	}
	// ResponseKnownDevices has the devices.
	ResponseKnownDevices struct {
		Response

		Device []Device
	}
	// SignalKnownDevices reports a change of the devices.
	SignalKnownDevices struct {
		Signal

		Device []Device
	}
	// CommandShutDown stops the device, or sends it to standby.
	CommandShutDown struct {
		Command

		ShutDownCmdParams *ShutDownCmdParams
	}
	// ResponseShutDown acknowledges the command.
	ResponseShutDown struct{ Response }
	// CommandWakeUp ends the standby of the device.
	CommandWakeUp struct{ Command }
	// ResponseWakeUp acknowledges the command.
	ResponseWakeUp struct{ Response }
	// CommandPipeControl controls a pipe: resources that one device consumes while another
	// one still produces them.
	CommandPipeControl struct {
		Command

		PipeParams PipeParams
	}
	// ResponsePipeControl acknowledges the command.
	ResponsePipeControl struct{ Response }
)

// The messages about gangs, which are jobs that a device produces together (9.3.7, 7.4, 7.5).
type (
	// CommandForceGang starts the waiting entries of gangs.
	CommandForceGang struct {
		Command

		GangCmdFilter GangCmdFilter
	}
	// ResponseForceGang acknowledges the start.
	ResponseForceGang struct{ Response }
	// QueryGangStatus requests the gangs.
	QueryGangStatus struct {
		Query

		GangQuFilter *GangQuFilter
	}
	// ResponseGangStatus has the gangs.
	ResponseGangStatus struct {
		Response

		GangInfo []GangInfo
	}
	// SignalGangStatus reports a change of gangs.
	SignalGangStatus struct {
		Signal

		GangInfo []GangInfo
	}
)

// The messages about messages (7.7, 7.8, 7.19).
type (
	// QueryKnownMessages requests the messages that the device supports.
	QueryKnownMessages struct{ Query }
	// ResponseKnownMessages has the supported messages.
	ResponseKnownMessages struct {
		Response

		MessageService []MessageService
	}
	// QueryKnownSubscriptions requests the subscriptions of the device.
	QueryKnownSubscriptions struct {
		Query

		SubscriptionFilter *SubscriptionFilter
	}
	// ResponseKnownSubscriptions has the subscriptions.
	ResponseKnownSubscriptions struct {
		Response

		SubscriptionInfo []SubscriptionInfo
	}
	// SignalKnownSubscriptions reports a change of the subscriptions.
	SignalKnownSubscriptions struct {
		Signal

		SubscriptionInfo []SubscriptionInfo
	}
	// CommandStopPersistentChannel ends subscriptions.
	CommandStopPersistentChannel struct {
		Command

		StopPersChParams StopPersChParams
	}
	// ResponseStopPersistentChannel has the subscriptions that were ended.
	ResponseStopPersistentChannel struct {
		Response

		SubscriptionInfo []SubscriptionInfo
	}
)

// messageTypes are the types of messages by the names of their elements.
var messageTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, m := range []Message{
		&CommandSubmitQueueEntry{}, &ResponseSubmitQueueEntry{}, &CommandModifyQueueEntry{}, &ResponseModifyQueueEntry{},
		&QueryQueueStatus{}, &ResponseQueueStatus{}, &SignalQueueStatus{}, &CommandReturnQueueEntry{}, &ResponseReturnQueueEntry{},
		&QueryStatus{}, &ResponseStatus{}, &SignalStatus{}, &QueryResource{}, &ResponseResource{}, &SignalResource{},
		&QueryNotification{}, &ResponseNotification{}, &SignalNotification{}, &CommandForceGang{}, &ResponseForceGang{},
		&QueryGangStatus{}, &ResponseGangStatus{}, &SignalGangStatus{}, &QueryKnownMessages{}, &ResponseKnownMessages{},
		&QueryKnownSubscriptions{}, &ResponseKnownSubscriptions{}, &CommandStopPersistentChannel{}, &ResponseStopPersistentChannel{},
		&CommandResubmitQueueEntry{}, &ResponseResubmitQueueEntry{}, &CommandRequestQueueEntry{}, &ResponseRequestQueueEntry{},
		&CommandResource{}, &QueryKnownDevices{}, &ResponseKnownDevices{}, &SignalKnownDevices{}, &CommandShutDown{}, &ResponseShutDown{},
		&CommandWakeUp{}, &ResponseWakeUp{}, &CommandPipeControl{}, &ResponsePipeControl{}, &SignalKnownSubscriptions{},
	} {
		types[NameOf(m)] = reflect.TypeOf(m).Elem()
	}
	return types
}() // constant
