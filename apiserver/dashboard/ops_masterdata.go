// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/transaction"
)

// MasterData reads the content in force. Package masterdata implements it.
type MasterData interface {
	// Current returns transaction.ErrNotFound if no content is in force.
	Current(ctx context.Context, of masterdata.Filter) (masterdata.Draft, error)
}

const (
	masterDataPath = opsPath + "/masterdata"
	// maxMasterData bounds the uploaded files together, in bytes, and maxMasterDataFiles their number.
	// The form around them is small.
	maxMasterData      = 4 << 20
	maxMasterDataFiles = 32
	maxMasterDataForm  = maxMasterData + 64<<10
	// previewTime is how long a preview may take.
	previewTime = 10 * time.Second
)

// masterDataBody is an uploaded document with its differences from the content in force.
type masterDataBody struct {
	// Name is the name of the file, or those of several files.
	Name string
	// Problem describes why there is no preview, and Faults lists the faults of the files.
	Problem string
	Faults  []source.Fault
	// Document is nil without a valid file, and Current is empty if nothing is in force.
	Document *source.Document
	Current  string
	Groups   []entryGroup
}

// entryGroup holds the changed entries of one kind.
type entryGroup struct {
	Kind    source.Kind
	Title   string
	Changes []source.Change
	// Others is the number of further changes.
	Others int
}

// showMasterData serves the empty form.
func (s *server) showMasterData(*visit) response {
	return show(pageOpsMasterData, "Master data", masterDataPage(masterDataBody{}))
}

// previewMasterData serves what the uploaded document would change.
func (s *server) previewMasterData(v *visit) response {
	var body masterDataBody
	status := http.StatusBadRequest
	uploads, problem := body.read(v.Request)
	if body.Problem = problem; problem == "" {
		if !s.comparisons.Take() {
			return unavailable(previewTime, "Another comparison is running. Try again in a moment.")
		}
		defer s.comparisons.Give()
		var err error
		if status, err = s.preview(v, &body, uploads); err != nil {
			return failed(err)
		}
	}
	r := show(pageOpsMasterData, "Master data", masterDataPage(body))
	r.status = status
	return r
}

// The problems of the form.
const (
	unreadableMasterData = "The form could not be read. Send files of at most 4 MiB together."
	largeMasterData      = "The files are larger than 4 MiB. Compare them with the command masterdata diff."
	manyMasterData       = "The form has more than 32 files. Choose the files of one snapshot."
	noMasterData         = "Choose a file."
)

// read returns the uploaded files in the order of their names, or what is invalid.
func (b *masterDataBody) read(r *http.Request) (uploads []source.Upload, problem string) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxMasterDataForm)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, unreadableMasterData
	}
	size := 0
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadableMasterData
		}
		if part.FormName() != "file" {
			continue
		}
		u := source.Upload{Name: part.FileName()}
		if u.Content, err = io.ReadAll(io.LimitReader(part, maxMasterData+1)); err != nil {
			return nil, unreadableMasterData
		}
		switch size += len(u.Content); {
		case size > maxMasterData:
			return nil, largeMasterData
		case len(uploads) == maxMasterDataFiles:
			return nil, manyMasterData
		case u.Name != "": // a form without a file has a part without a name
			uploads = append(uploads, u)
		}
	}
	if size == 0 || len(uploads) == 0 {
		return nil, noMasterData
	}
	slices.SortFunc(uploads, func(a, b source.Upload) int { return cmp.Compare(a.Name, b.Name) })
	names := make([]string, len(uploads))
	for i, u := range uploads {
		names[i] = u.Name
	}
	b.Name = strings.Join(names, ", ")
	return uploads, ""
}

// preview compares the document with the content in force, and returns the status of the
// page.
func (s *server) preview(v *visit, body *masterDataBody, uploads []source.Upload) (status int, err error) {
	ctx, cancel := context.WithTimeout(v.Context(), previewTime)
	defer cancel()
	document, err := source.ReadUploads(ctx, uploads)
	var invalid *source.InvalidError
	switch {
	case errors.As(err, &invalid):
		body.Problem, body.Faults = "The upload is invalid. Nothing was compared.", invalid.Faults
		return http.StatusUnprocessableEntity, nil
	case ctx.Err() != nil:
		body.Problem = fmt.Sprintf("The comparison takes longer than %s. Use the command masterdata diff.", previewTime)
		return http.StatusServiceUnavailable, nil
	case err != nil:
		return 0, err
	}
	current, err := s.Ops.MasterData.Current(ctx, masterdata.DraftOf(document).About())
	if errors.Is(err, transaction.ErrNotFound) {
		body.Document = document
		return http.StatusOK, nil
	}
	if err != nil {
		return 0, err
	}
	changes, err := source.Diff(current.Document(), document)
	if err != nil {
		return 0, err
	}
	body.Document, body.Current, body.Groups = document, current.Document().ID(), entryGroupsOf(changes)
	return http.StatusOK, nil
}

// entryGroupsOf groups changes by their kind.
func entryGroupsOf(changes []source.Change) []entryGroup {
	groups := []entryGroup{{Kind: source.Changed, Title: "Changed"}, {Kind: source.Added, Title: "Added"}, {Kind: source.Removed, Title: "Removed"}}
	for i := range groups {
		g := &groups[i]
		for _, change := range changes {
			switch {
			case change.Kind != g.Kind:
			case len(g.Changes) == changesShown:
				g.Others++
			default:
				g.Changes = append(g.Changes, change)
			}
		}
	}
	return groups
}

// relativeChange returns the change of a number in percent, with one decimal; empty for texts,
// and for numbers whose change has no useful ratio.
func relativeChange(f source.FieldChange) string {
	before, err := money.ParseDecimal(f.Old)
	after, afterErr := money.ParseDecimal(f.New)
	if err != nil || afterErr != nil || before <= 0 {
		return ""
	}
	percent := 100 * (float64(after) - float64(before)) / float64(before)
	if percent >= 100_000 {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", percent)
}
