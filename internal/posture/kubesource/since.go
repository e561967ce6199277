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
	// metadataEvents requests a watch without specs and statuses.
	metadataEvents = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	// sinceSeconds is the requested duration of such a watch. Two seconds before its
	// end the server sends a bookmark with the version up to which it has sent all
	// events.
	sinceSeconds = 5
	// A watch that ended without a bookmark is repeated until sinceTries watches have
	// ended. A busy server ends several in a row, and listing everything costs it more.
	sinceTries = 5
)

// errIncomplete means that the server did not report the changes since a version, so
// that all objects must be read.
var errIncomplete = errors.New("the server did not report all changes")

// since returns the current state of a kind, built from a former state and the changes
// since. The cost to the server depends on the changes. Listing the metadata of ten
// thousand objects instead would cost it tens of megabytes, for every replica, every
// few seconds.
//
// The result is as reliable as such a list. The version of a list of one object is as
// current as etcd. The watch counts once the server has confirmed that it sent all
// events up to that version. Both requests use a separate connection.
func (r *resource) since(ctx context.Context, former view) (view, error) {
	head, err := r.markPage(ctx, metav1.ListOptions{Limit: 1}, map[string]mark{})
	switch {
	case err != nil:
		return view{}, err
	case head.ResourceVersion == former.version:
		// Nothing was written since; a watch would not confirm that.
		return former, nil
	case posture.LaterVersion(former.version, head.ResourceVersion) == former.version:
		return view{}, fmt.Errorf("%w: the cluster was restored from a backup", errIncomplete)
	}
	for try := 1; ; try++ {
		now, err := r.changes(ctx, former, head.ResourceVersion)
		// A busy server may end a watch before it sends the bookmark. Listing
		// all objects would cost it more than another watch.
		if try == sinceTries || !errors.Is(err, io.EOF) {
			return now, err
		}
	}
}

// changes watches from a former state until the server has sent all events up to a
// version.
func (r *resource) changes(ctx context.Context, former view, upTo string) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	seconds := int64(sinceSeconds)
	body, err := r.request(metav1.ListOptions{
		Watch: true, ResourceVersion: former.version, TimeoutSeconds: &seconds, AllowWatchBookmarks: true,
	}).SetHeader("Accept", metadataEvents).Stream(ctx)
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return view{}, fmt.Errorf("%w: %w", errIncomplete, err)
	} else if err != nil {
		return view{}, err
	}
	defer func() { _ = body.Close() }() // the watch may not have ended
	return readChanges(body, former, upTo)
}

// readChanges applies events to a former state until a bookmark confirms that all
// events up to a version were sent. A stream that ends without this bookmark proves
// nothing.
func readChanges(body io.Reader, former view, upTo string) (view, error) {
	now := view{marks: former.all()}
	decoder := json.NewDecoder(body)
	for {
		var event struct {
			Type   watch.EventType `json:"type"`
			Object itemHead        `json:"object"`
		}
		if err := decoder.Decode(&event); err != nil {
			return view{}, fmt.Errorf("%w: %w", errIncomplete, err)
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
			return view{}, fmt.Errorf("%w: unexpected event %q", errIncomplete, event.Type)
		}
	}
}
