// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// metadataOnly asks for a list without specifications and states.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

var errNotMetadata = errors.New("the answer is no list of metadata")

// marks lists the metadata of everything. Each page has its time limit and the
// whole has none, as there may be hundreds of pages: a proof that takes long
// makes the posture only as young as its beginning. Most of the answer is managed
// fields, so it is read as it arrives, one item at a time: read whole it would be
// most of the garbage of an idle process.
func (r *resource) marks(ctx context.Context) (view, error) {
	v := view{marks: map[string]mark{}}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		var head listHead
		err := patiently(ctx, options, func(ctx context.Context) (err error) {
			head, err = r.markPage(ctx, options, v.marks)
			return err
		})
		if err != nil {
			return view{}, err
		}
		if options.Continue = head.Continue; options.Continue == "" {
			v.version = head.ResourceVersion
			return v, nil
		}
	}
}

func (r *resource) markPage(ctx context.Context, options metav1.ListOptions, into map[string]mark) (listHead, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	body, err := r.request(options).SetHeader("Accept", metadataOnly).Stream(ctx)
	if err != nil {
		return listHead{}, err
	}
	defer func() { _ = body.Close() }() // it was read to its end, or the read failed
	return readMarks(body, into)
}

// listHead is what counts of the metadata of a list, and itemHead of an item's.
type listHead struct {
	ResourceVersion string `json:"resourceVersion"`
	Continue        string `json:"continue"`
}

type itemHead struct {
	Metadata struct {
		Name            string    `json:"name"`
		UID             types.UID `json:"uid"`
		ResourceVersion string    `json:"resourceVersion"`
	} `json:"metadata"`
}

// readMarks reads one page. What is no page, or is cut off, is an error: an
// empty list would prove that a cluster without objects is in force.
func readMarks(body io.Reader, into map[string]mark) (listHead, error) {
	var head listHead
	var kind string
	var unread json.RawMessage
	decoder := json.NewDecoder(body)
	err := members(decoder, func(name string) error {
		switch name {
		case "kind":
			return decoder.Decode(&kind)
		case "metadata":
			return decoder.Decode(&head)
		case "items":
			return readItems(decoder, into)
		default:
			return decoder.Decode(&unread)
		}
	})
	switch {
	case err != nil:
		return listHead{}, fmt.Errorf("%w: %w", errNotMetadata, err)
	case kind != "PartialObjectMetadataList" || head.ResourceVersion == "":
		return listHead{}, errNotMetadata
	}
	return head, nil
}

// members calls each with the name of every member of an object; each reads the
// value.
func members(decoder *json.Decoder, each func(name string) error) error {
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return errors.Join(errNotMetadata, err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		if err := each(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

func readItems(decoder *json.Decoder, into map[string]mark) error {
	switch first, err := decoder.Token(); {
	case err != nil:
		return err
	case first == nil: // null, an empty list
		return nil
	case first != json.Delim('['):
		return errNotMetadata
	}
	for decoder.More() {
		var item itemHead
		if err := decoder.Decode(&item); err != nil {
			return err
		}
		into[item.Metadata.Name] = mark{item.Metadata.UID, item.Metadata.ResourceVersion}
	}
	_, err := decoder.Token()
	return err
}
