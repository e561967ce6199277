// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

const (
	// findingsShown bounds the findings of a group on the page of a job; the report has all.
	findingsShown = 8
	// picturesShown bounds the small pictures of pages, and pictureWidth is their width in pixels.
	picturesShown = 12
	pictureWidth  = 160
	// previewWidth is the width in pixels of pages that only close-ups of findings show.
	previewWidth = 640
)

// jobBody holds one job.
type jobBody struct {
	Title string
	Job   *preflightjob.Job
	// Report and Shares are nil for a job without a report.
	Report *reportBody
	Shares *sharesBody
	extrasBody
}

// reportBody holds what the page of a job shows of its report.
type reportBody struct {
	view.Parts
	// Pages are the first pages with pictures. Found counts the findings of a page.
	Pages []pageimage.Page
	Found map[int]int
	// More counts the pages with pictures that are not shown.
	More int
	// Page is the number of the page that the viewer shows with its findings; 0 without pictures.
	Page int
	// Missing states why there are no pictures.
	Missing string
}

// sharesBody holds the links of a report.
type sharesBody struct {
	Valid preflightjob.Shares
	// Write reports whether the caller may create and revoke links.
	Write bool
	// Address begins the URLs of links. A token follows.
	Address string
	// Done and Notice state what a form has done, or why it has not.
	Done, Notice string
}

// reportBody reads the report of a job, with the page that the visitor selects or the first one. It is
// empty for a report of a later release.
func (s *server) reportBody(v *visit, id string) (*reportBody, error) {
	stored, err := s.Jobs.Report(v.Context(), v.caller.Tenant(), id)
	if err != nil {
		return nil, err
	}
	body := &reportBody{Found: map[int]int{}}
	made, err := report.Decode(stored)
	if err != nil {
		return body, nil
	}
	made = report.Localize(made, report.Languages()[0])
	for i := range made.Findings {
		pages := made.Findings[i].Pages // of at most ten
		if len(pages) == 0 {
			pages = []int{made.Findings[i].Page}
		}
		for _, page := range pages {
			body.Found[page]++
		}
	}
	switch set, err := preflightapi.OpenPictures(v.Context(), s.Jobs, v.caller.Tenant(), id); {
	case preflightapi.WithoutPictures(err):
		if body.Missing = "The pictures of the job are damaged."; !errors.Is(err, pageimage.ErrInvalid) {
			body.Missing = preflightapi.Unreadable(err).Detail
		}
	case err != nil:
		return nil, err
	default:
		defer set.Close()
		body.Pages = set.Pages()
	}
	selected := slices.IndexFunc(body.Pages, func(p pageimage.Page) bool { return strconv.Itoa(p.Number) == v.URL.Query().Get("page") })
	if shown := body.Pages[max(selected, 0):]; len(shown) > 0 {
		body.Page = shown[0].Number
	}
	body.Parts = view.NewParts(made, view.Page{
		Pages: body.Pages, Drawn: body.Page, Findings: findingsShown, Report: jobPath(id) + "/report",
		Drawing: func(page int) string { return pageLink(page, body.Page) },
		Layer:   func(layer string) string { return layerPath(id, body.Page, layer) },
		Preview: func(page int) string { return picturePath(id, page, previewWidth) },
		CloseUp: func(page, i int) string { return fmt.Sprintf("%s/pages/%d?closeUp=%d", jobPath(id), page, i) },
	})
	if body.More = len(body.Pages) - picturesShown; body.More > 0 {
		body.Pages = body.Pages[:picturesShown]
	}
	return body, nil
}

// pageLink is where a page of the file is drawn, on the page of the job that draws another one.
func pageLink(page, drawn int) string {
	if page == drawn {
		return "#page"
	}
	return fmt.Sprintf("?page=%d#page", page)
}

// picturePath is the path of the printed page in a width in pixels.
func picturePath(id string, page, width int) string {
	return fmt.Sprintf("%s/pages/%d?width=%d", jobPath(id), page, width)
}

// layerPath is the path of a layer of a page as it is stored.
func layerPath(id string, page int, layer string) string {
	return fmt.Sprintf("%s/pages/%d?layer=%s", jobPath(id), page, url.QueryEscape(layer))
}

// pagePicture serves a layer or a close-up of a page as it is stored, or the printed page of a smaller width.
func (s *server) pagePicture(v *visit) response {
	id := v.PathValue("id")
	number, err := strconv.Atoi(v.PathValue("page"))
	if err != nil {
		return notFound(v)
	}
	set, err := preflightapi.OpenPictures(v.Context(), s.Jobs, v.caller.Tenant(), id)
	if err != nil {
		return failedJob(err)
	}
	defer set.Close()
	var file []byte
	switch query := v.URL.Query(); {
	case query.Has("width"):
		width, invalid := strconv.Atoi(query.Get("width"))
		if invalid != nil || width < pageimage.MinWidth || width > pageimage.MaxWidth {
			return notFound(v)
		}
		file, err = s.Drawing.Picture(v.Context(), set.Set, number, pageimage.Printed, width, encodeJPEG)
	case query.Has("closeUp"):
		i, invalid := strconv.Atoi(query.Get("closeUp"))
		if invalid != nil {
			return notFound(v)
		}
		file, err = set.CloseUp(number, i)
	default:
		file, err = set.JPEG(number, query.Get("layer"))
	}
	if errors.Is(err, pageimage.ErrNotFound) {
		return notFound(v)
	}
	if err != nil {
		return failed(fmt.Errorf("pictures of %s: %w", id, err))
	}
	return response{send: func(w http.ResponseWriter) *response {
		header := w.Header()
		header.Set("Content-Type", "image/jpeg")
		header.Set("Cache-Control", "private, no-cache")
		header.Set("ETag", fmt.Sprintf(`"%s-%d-%x"`, id, number, v.URL.RawQuery)) // the pictures of a job never change
		http.ServeContent(w, v.Request, "", time.Time{}, bytes.NewReader(file))
		return nil
	}}
}

func encodeJPEG(w io.Writer, picture image.Image) error { return jpeg.Encode(w, picture, nil) }

// requirePreflightWrite restricts a form to callers that may also change jobs by the API.
func requirePreflightWrite(next handler) handler {
	return func(v *visit) response {
		if decision := v.Decide(posture.Preflight, true); !decision.Allowed() {
			return problemPage(v.Refusal(decision))
		}
		return next(v)
	}
}

// shareTimes are the lifetimes of links that the form offers, by the value of its field.
var shareTimes = map[string]time.Duration{"1": 24 * time.Hour, "7": 7 * 24 * time.Hour, "30": 30 * 24 * time.Hour} // constant

// shareReport creates a link to the report.
func (s *server) shareReport(v *visit) response {
	sent, err := readForm(v.Request)
	lifetime, known := shareTimes[sent.Get("days")]
	if err != nil || !known {
		return badRequest("The form could not be read. Try again.")
	}
	id := v.PathValue("id")
	_, err = s.Jobs.Share(v.Context(), v.caller.Tenant(), id, lifetime)
	switch {
	case errors.Is(err, preflightjob.ErrTooManyShares):
		return s.job(v, http.StatusConflict, sharesBody{Notice: fmt.Sprintf("The report has %d valid links. Revoke one of them first.", preflightjob.MaxShares)})
	case err != nil:
		return failedJob(err)
	}
	return done(jobPath(id), "shared")
}

// revokeShare ends a link.
func (s *server) revokeShare(v *visit) response {
	id := v.PathValue("id")
	if err := s.Jobs.Unshare(v.Context(), v.caller.Tenant(), id, v.PathValue("share")); err != nil {
		return failedJob(err)
	}
	return done(jobPath(id), "revoked")
}
