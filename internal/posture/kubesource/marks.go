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

// metadataOnly requests a list without specs and statuses.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

var errNotMetadata = errors.New("the response is not a list of metadata")

// marks lists the metadata of all objects. Each page has a time limit; the whole list
// has none, because it may have hundreds of pages. The posture is as fresh as the start
// of the list. The response consists mostly of managed fields and is decoded one item
// at a time. Decoding all of it at once would cause most of the garbage of an idle
// process.
func (r *resource) marks(ctx context.Context) (view, error) {
	v := view{marks: map[string]mark{}}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		var head listHead
		err := readWithRetry(ctx, options, func(ctx context.Context) (err error) {
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
	defer func() { _ = body.Close() }() // the body was read to its end, or the read failed
	return readMarks(body, into)
}

// listHead holds the required metadata of a list, and itemHead those of an item.
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

// readMarks reads one page. Input that is incomplete or not a page is an error: an
// empty list would confirm a cluster without objects.
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

// members calls each with the name of every member of a JSON object. The function each
// must read the value.
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
