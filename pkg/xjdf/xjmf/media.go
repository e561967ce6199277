// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The media types of messages (table 9.1).
const (
	mediaTypeXML  = "application/vnd.cip4-xjmf+xml"
	mediaTypeJSON = "application/vnd.cip4-xjmf+json"
	mediaTypeZIP  = "application/vnd.cip4-xjmf+zip"
	mediaTypeForm = "multipart/form-data"
)

func mediaType(e xjdf.Encoding) string {
	if e == xjdf.XML {
		return mediaTypeXML
	}
	return mediaTypeJSON
}

// isMessageType reports whether a body of a media type is a document by itself. Devices that
// are older than the media types of XJMF use the general ones.
func isMessageType(kind string) bool {
	return slices.Contains([]string{mediaTypeXML, mediaTypeJSON, "application/xml", "text/xml", "application/json"}, kind)
}
