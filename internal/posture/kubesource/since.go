// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// metadataEvents asks for a watch without specifications and states.
	metadataEvents = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	// sinceSeconds is how long such a watch is asked for. Two seconds before its
	// end the server says up to which version it has told everything.
	sinceSeconds = 5
	// A watch that ended without a bookmark is repeated until sinceTries watches have
	// ended. A busy server ends several in a row, and listing everything costs it more.
	sinceTries = 5
)

// errNotTold: the server did not say what has changed since a version, and
// everything must be read.
var errNotTold = errors.New("the server did not tell what has changed")

// since is the state of a kind as of now, put together from a former one and
// what has changed since. It costs the server what has changed, while a list of
// the metadata of ten thousand objects costs it tens of megabytes, for every
// replica, every few seconds.
//
// It is as good as such a list. The version of a list of one object is as new
// as etcd, and the watch counts only once the server has said that it has told
// everything up to there. Both are asked for on a connection of their own.
func (r *resource) since(ctx context.Context, former view) (view, error) {
	head, err := r.markPage(ctx, metav1.ListOptions{Limit: 1}, map[string]mark{})
	switch {
	case err != nil:
		return view{}, err
	case head.ResourceVersion == former.version:
		// Nothing was written since, and of that a watch would say nothing.
		return former, nil
	case posture.LaterVersion(former.version, head.ResourceVersion) == former.version:
		return view{}, fmt.Errorf("%w: it was restored from a backup", errNotTold)
	}
	for try := 1; ; try++ {
		now, err := r.changes(ctx, former, head.ResourceVersion)
		// A server that has much to do may end a watch and not have come to the
		// word. To list everything would cost it more than another watch.
		if try == sinceTries || !errors.Is(err, io.EOF) {
			return now, err
		}
	}
}

// changes watches from a former state until the server has told everything up to
// a version.
func (r *resource) changes(ctx context.Context, former view, upTo string) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	seconds := int64(sinceSeconds)
	body, err := r.request(metav1.ListOptions{
		Watch: true, ResourceVersion: former.version, TimeoutSeconds: &seconds, AllowWatchBookmarks: true,
	}).SetHeader("Accept", metadataEvents).Stream(ctx)
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return view{}, fmt.Errorf("%w: %w", errNotTold, err)
	} else if err != nil {
		return view{}, err
	}
	defer func() { _ = body.Close() }() // a watch is left before its end
	return readChanges(body, former, upTo)
}

// readChanges applies events to a former state until one says that there were
// no others up to a version. A stream that ends without that proves nothing.
func readChanges(body io.Reader, former view, upTo string) (view, error) {
	now := view{marks: former.all()}
	decoder := json.NewDecoder(body)
	for {
		var event struct {
			Type   watch.EventType `json:"type"`
			Object itemHead        `json:"object"`
		}
		if err := decoder.Decode(&event); err != nil {
			return view{}, fmt.Errorf("%w: %w", errNotTold, err)
		}
		o := event.Object.Metadata
		switch event.Type {
		case watch.Added, watch.Modified:
			now.marks[o.Name] = mark{o.UID, o.ResourceVersion}
		case watch.Deleted:
			delete(now.marks, o.Name)
		case watch.Bookmark:
			if now.version = o.ResourceVersion; posture.LaterVersion(upTo, now.version) == now.version {
				return now, nil
			}
		default:
			return view{}, fmt.Errorf("%w: an event %q", errNotTold, event.Type)
		}
	}
}
