// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Fix is a change of a file that removes a fault.
type Fix string

// The fixes.
const (
	// FixScale scales pages to the ordered size, if they have its proportions.
	FixScale Fix = "scale"
	// FixTrim sets the TrimBox and the BleedBox from the ordered size.
	FixTrim Fix = "trim"
	// FixBleed mirrors the artwork at the trim edges into the bleed.
	FixBleed Fix = "bleed"
	// FixStretch scales the artwork into the bleed, instead of [FixBleed].
	FixStretch Fix = "stretch"
	// FixLayers removes hidden layers, except those of processing steps.
	FixLayers Fix = "layers"
	// FixColors converts RGB and Lab to the inks of the printing condition.
	FixColors Fix = "colors"
	// FixBlack sets small text in several inks, or in black that knocks out, in black that overprints.
	FixBlack Fix = "black"
	// FixWhite makes white objects that overprint knock out.
	FixWhite Fix = "white"
	// FixHairlines widens lines to the least width of the profile.
	FixHairlines Fix = "hairlines"
	// FixIntent embeds the output intent.
	FixIntent Fix = "intent"
	// FixAnnotations makes printed annotations and form fields part of the page, and removes
	// the others.
	FixAnnotations Fix = "annotations"
	// FixActions removes JavaScript and all other actions, and the bookmarks.
	FixActions Fix = "actions"
	// FixAttachments removes attached files.
	FixAttachments Fix = "attachments"
)

// Fixes lists the fixes, in the order in which they are applied.
func Fixes() []Fix {
	return []Fix{
		FixIntent, FixLayers, FixColors, FixBlack, FixWhite, FixHairlines, FixScale, FixTrim, FixAnnotations, FixBleed, FixStretch, FixActions,
		FixAttachments,
	}
}

// Automatic reports whether the fix is applied without being named. [FixScale] changes the size of the
// artwork, and [FixStretch] fixes what [FixBleed] fixes.
func (f Fix) Automatic() bool { return f != FixScale && f != FixStretch }

// ContraryFix returns the index of a fix that contradicts another one or the order, with the reason, or -1.
func ContraryFix(fixes []Fix, ordered *jobticket.Ticket) (i int, reason string) {
	unbled := ordered != nil && ordered.Bleed != nil && *ordered.Bleed == 0
	made := Fix("")
	for i, fix := range fixes {
		switch {
		case fix != FixBleed && fix != FixStretch:
			continue
		case unbled:
			return i, fmt.Sprintf("%s makes a bleed, and the order has a bleed of 0: omit one of them", fix)
		case made != "":
			return i, fmt.Sprintf("%s and %s make the same bleed in different ways: omit one of them", made, fix)
		}
		made = fix
	}
	return -1, ""
}

// fixedBy holds the rules whose findings a fix removes.
var fixedBy = map[Fix][]string{
	FixIntent:      {"outputintent.missing", "outputintent.profile_missing"},
	FixLayers:      {"layer.hidden"},
	FixColors:      {"color.rgb", "color.lab"},
	FixBlack:       {"text.rich_black", "text.rgb_black", "overprint.black_text_knockout"},
	FixWhite:       {"overprint.white"},
	FixHairlines:   {"line.hairline", "line.thin", "line.multi_ink_thin", "line.white_thin"},
	FixScale:       {"intent.trim_size"},
	FixTrim:        {"box.trim_missing", "intent.trim_size"},
	FixBleed:       {"box.bleed_missing", "box.bleed_short", "box.art_short_of_bleed"},
	FixStretch:     {"box.bleed_missing", "box.bleed_short", "box.art_short_of_bleed"},
	FixAnnotations: {"annotation.in_trim", "annotation.multimedia", "form.field", "pdfx.annotation"},
	FixActions:     {"action.javascript", "action.other", "pdfx.action"},
	FixAttachments: {"file.attachment", "pdfx.attachment"},
} // constant

// Rules lists the rules whose findings the fix removes.
func (f Fix) Rules() []string { return fixedBy[f] }

// Output is a printing condition, for fixes of files that state none.
type Output struct {
	// Profile is an ICC profile for CMYK, at most [MaxProfile] bytes.
	Profile []byte `json:"profile,omitempty"`
	// Condition is the identifier of the printing condition, such as FOGRA51; without one, it is the
	// description of the profile.
	Condition string `json:"condition,omitempty"`
	// Intent is the rendering intent of conversions, one of [Intents]; empty for the first.
	Intent string `json:"intent,omitempty"`
}

// MaxProfile bounds the size of [Output.Profile].
const MaxProfile = 8 << 20

// Intents lists the rendering intents of conversions to inks (ISO 32000-2, table 69).
func Intents() []string { return []string{"relative", "perceptual", "saturation"} }

// FixTitle describes a fix in one of [Languages].
func FixTitle(fix Fix, language string) string {
	return texts.In(language).Report("fix/" + string(fix))
}

// FixVersion is the version of the JSON of a [FixLog].
const FixVersion = "1.0"

// FixLog lists what was changed in a file, and what was not.
type FixLog struct {
	Version string       `json:"fixVersion"`
	Engine  Engine       `json:"engine"`
	Before  File         `json:"before"`
	After   File         `json:"after"`
	Applied []AppliedFix `json:"applied"`
	Skipped []SkippedFix `json:"skipped"`
}

// AppliedFix is a fix with its changes.
type AppliedFix struct {
	Fix     Fix            `json:"fix"`
	Changes []ObjectChange `json:"changes"`
	// Omitted counts the changes after the first [MaxChanges].
	Omitted int `json:"omitted,omitempty"`
}

// MaxChanges bounds the changes that a log lists for each fix.
const MaxChanges = 1000

// ObjectChange is a change of one object of the file.
type ObjectChange struct {
	// Page is 0 for the document.
	Page   int    `json:"page,omitempty"`
	Object string `json:"object,omitempty"`
	// Name is the changed entry, such as TrimBox.
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SkippedFix is a fix that is not possible.
type SkippedFix struct {
	Fix Fix `json:"fix"`
	// Page is 0 for the document.
	Page   int       `json:"page,omitempty"`
	Reason FixReason `json:"reason"`
	// Detail is the size, the ink or the code of the reason.
	Detail string `json:"detail,omitempty"`
}

// Text returns the reason in one of [Languages].
func (s SkippedFix) Text(language string) string {
	reason := string(s.Reason)
	if s.Reason == FixOtherProfile && s.Detail == "" {
		reason = "no_output"
	}
	return texts.In(language).Report("fix/why/"+reason, "page", s.Page, "detail", s.Detail)
}

// Refused reports whether no fix was possible, because of the file as a whole.
func (l *FixLog) Refused() bool {
	whole := []FixReason{FixSigned, FixUnreadable, FixEncrypted, FixDamaged, FixStructure, FixTooLarge}
	return len(l.Applied) == 0 && len(l.Skipped) > 0 && slices.Contains(whole, l.Skipped[0].Reason)
}

// FixReason is the reason why a fix is not possible.
type FixReason string

// The reasons.
const (
	FixSigned       FixReason = "signed"
	FixUnreadable   FixReason = "unreadable"
	FixEncrypted    FixReason = "encrypted"
	FixDamaged      FixReason = "damaged"
	FixStructure    FixReason = "structure"
	FixTooLarge     FixReason = "too_large"
	FixNoTrimSize   FixReason = "no_trim_size"
	FixOtherSize    FixReason = "other_size"
	FixProportions  FixReason = "proportions"
	FixNoTrimBox    FixReason = "no_trim_box"
	FixTechnicalInk FixReason = "technical_ink"
	FixSmall        FixReason = "small"
	FixContent      FixReason = "content"
	// FixNoProfile: neither the file nor the request has a printing condition. FixOtherProfile:
	// its profile cannot be used, or is another one than that of the file.
	FixNoProfile    FixReason = "no_profile"
	FixOtherProfile FixReason = "other_profile"
	// FixFaulty: the fixed file has the fault still. FixArtwork: it has other artwork.
	// FixUnverified: a part of the artwork cannot be compared.
	FixFaulty     FixReason = "faulty"
	FixArtwork    FixReason = "artwork"
	FixUnverified FixReason = "unverified"
	// FixFailed: a limit ended the program, or the fixed file could not be stored. Detail is the
	// code of the failure.
	FixFailed FixReason = "failed"
)

// FixReasons lists the reasons.
func FixReasons() []FixReason {
	return []FixReason{
		FixSigned, FixUnreadable, FixEncrypted, FixDamaged, FixStructure, FixTooLarge, FixNoTrimSize, FixOtherSize, FixProportions, FixNoTrimBox,
		FixTechnicalInk, FixSmall, FixContent, FixNoProfile, FixOtherProfile, FixFaulty, FixArtwork, FixUnverified, FixFailed,
	}
}

// ErrNoFix means that bytes are not the output of [EncodeFix].
var ErrNoFix = errors.New("not a fixed PDF")

// EncodeFixLog writes the canonical JSON.
func EncodeFixLog(log FixLog) ([]byte, error) { return encode(log) }

// EncodeFix writes a log and the update of the file that it describes.
func EncodeFix(w io.Writer, log FixLog, update []byte) error {
	text, err := EncodeFixLog(log)
	if err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(text))) // #nosec G115 -- bounded by the report
	for _, part := range [][]byte{head, text, update} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write fix: %w", err)
		}
	}
	return nil
}

// DecodeFix reads the output of [EncodeFix]. It returns [ErrNoFix] for anything else.
func DecodeFix(data []byte) (log FixLog, update []byte, err error) {
	if len(data) < 4 {
		return log, nil, ErrNoFix
	}
	n := int64(binary.BigEndian.Uint32(data))
	if n > int64(len(data)-4) {
		return log, nil, ErrNoFix
	}
	if err := decode(data[4:4+n], &log); err != nil || log.Version != FixVersion {
		return FixLog{}, nil, errors.Join(ErrNoFix, err)
	}
	for _, skipped := range log.Skipped {
		if !slices.Contains(FixReasons(), skipped.Reason) || !slices.Contains(Fixes(), skipped.Fix) {
			return FixLog{}, nil, ErrNoFix
		}
	}
	for _, applied := range log.Applied {
		if !slices.Contains(Fixes(), applied.Fix) {
			return FixLog{}, nil, ErrNoFix
		}
	}
	if update = data[4+n:]; len(update) > 0 {
		if err := CheckUpdate(update); err != nil {
			return FixLog{}, nil, errors.Join(ErrNoFix, err)
		}
	}
	return log, update, nil
}

// WriteFix writes a log as text, in one of [Languages].
func WriteFix(w io.Writer, log FixLog, language string) error {
	in := texts.In(language)
	fixed, skipped := in.Report("fix/fixed"), in.Report("fix/skipped")
	width := max(utf8.RuneCountInString(fixed), utf8.RuneCountInString(skipped))
	var out bytes.Buffer
	if len(log.Applied)+len(log.Skipped) == 0 {
		fmt.Fprintln(&out, in.Report("fix/nothing"))
	}
	for _, applied := range log.Applied {
		fmt.Fprintf(&out, "%-*s  %s\n", width, fixed, FixTitle(applied.Fix, language))
		for _, c := range applied.Changes {
			place := in.Report("document")
			if c.Page > 0 {
				place = in.Report("page", "pages", strconv.Itoa(c.Page))
			}
			none := in.Report("compare/none")
			before, after := c.Before, c.After
			if before == "" {
				before = none
			}
			if after == "" {
				after = none
			}
			fmt.Fprintf(&out, "  %s  %s  %s: %s -> %s\n", place, c.Object, c.Name, before, after)
		}
	}
	if log.Refused() {
		fmt.Fprintf(&out, "%-*s  %s: %s\n", width, skipped, in.Report("fix/all"), log.Skipped[0].Text(language))
	} else {
		for _, s := range log.Skipped {
			fmt.Fprintf(&out, "%-*s  %s: %s\n", width, skipped, FixTitle(s.Fix, language), s.Text(language))
		}
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write fix: %w", err)
	}
	return nil
}
