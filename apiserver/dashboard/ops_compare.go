// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// Manifests reads proposed manifests. Package dirsource implements it.
type Manifests interface {
	// Propose returns the objects after a change by the documents of a text. If the text is
	// complete, objects that it lacks are deleted. Each line of the error's text names a fault
	// with its line, and contains no value.
	Propose(ctx context.Context, before posture.Inputs, text []byte, complete bool, now time.Time) (posture.Inputs, error)
}

const (
	comparePath = opsPath + "/compare"
	// maxManifests bounds the size of the proposed manifests, in bytes. The form around them
	// has maxManifestsForm bytes at most.
	maxManifests     = 1 << 20
	maxManifestsForm = 2*maxManifests + 64<<10
	// comparisons is how many comparisons run at once, and compareTime how long one may take.
	comparisons = 1
	compareTime = 10 * time.Second
	// changesShown bounds the rows of each group of changes.
	changesShown = 200
)

// compareBody is a proposed change with what it opens and closes.
type compareBody struct {
	// Text is the content of the form, and Complete its option.
	Text     string
	Complete bool
	// Problem describes why there is no comparison. Each line of Faults names a line at fault.
	Problem, Faults string
	// Compared reports whether Groups is the result of a comparison, of Objects objects.
	Compared bool
	Groups   []changeGroup
	// Until is the end of the compared period; zero for no end.
	Until time.Time
	// Namespace is that of the current objects; empty if there are none.
	Namespace string
}

// changeGroup holds the changes of one effect.
type changeGroup struct {
	Effect explain.Effect
	Title  string
	// Kind is that of the label with the number of changes.
	Kind    kind
	Changes []explain.Change
	// Others is the number of further changes.
	Others int
}

// showCompare serves the empty form.
func (s *server) showCompare(v *visit) response {
	return show(pageOpsCompare, "Compare", comparePage(compareBody{Namespace: namespaceOf(v.snapshot)}))
}

// compare serves what the manifests in the form would open and close.
func (s *server) compare(v *visit) response {
	body := compareBody{Namespace: namespaceOf(v.snapshot)}
	var status int
	if body.Problem = body.read(v.Request); body.Problem != "" {
		status = http.StatusBadRequest
	} else {
		if !s.comparisons.Take() {
			return unavailable(compareTime, "Another comparison is running. Try again in a moment.")
		}
		defer s.comparisons.Give()
		status = s.fill(v, &body)
	}
	r := show(pageOpsCompare, "Compare", comparePage(body))
	r.status = status
	return r
}

// The problems of the form.
const (
	unreadableManifests = "The form could not be read. Send one text or file of at most 1 MiB."
	largeManifests      = "The manifests are larger than 1 MiB. Compare them with the command below."
	noManifests         = "Paste manifests, or choose a file."
)

// read reads the form, in which an uploaded file replaces the text. The result describes
// what is invalid; empty for nothing.
func (b *compareBody) read(r *http.Request) string {
	r.Body = http.MaxBytesReader(nil, r.Body, maxManifestsForm)
	parts, err := r.MultipartReader()
	if err != nil {
		return unreadableManifests
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadableManifests
		}
		content, err := io.ReadAll(io.LimitReader(part, maxManifests+1))
		if err != nil {
			return unreadableManifests
		}
		if len(content) > maxManifests {
			return largeManifests
		}
		switch part.FormName() {
		case "complete":
			b.Complete = true
		case "manifests":
			// A browser sends line ends as CRLF.
			b.Text = strings.ReplaceAll(string(content), "\r\n", "\n")
		case "file":
			if len(content) > 0 {
				b.Text = string(content)
			}
		}
	}
	if strings.TrimSpace(b.Text) == "" {
		return noManifests
	}
	return ""
}

// fill compares the current objects with the proposed ones, and returns the status of the
// page.
func (s *server) fill(v *visit, body *compareBody) int {
	ctx, cancel := context.WithTimeout(v.Context(), compareTime)
	defer cancel()
	before := v.snapshot.Objects()
	after, err := s.Ops.Manifests.Propose(ctx, before, []byte(body.Text), body.Complete, v.now)
	if err == nil {
		var found explain.Comparison
		if found, err = explain.Compare(ctx, explain.WithoutSecrets(before), explain.WithoutSecrets(after), v.now); err == nil {
			body.Compared, body.Groups, body.Until = true, groupsOf(found.Changes), timeOf(found.Until)
			return http.StatusOK
		}
	}
	if ctx.Err() != nil {
		body.Problem = fmt.Sprintf("The comparison takes longer than %s. Run it with the command below.", compareTime)
		return http.StatusServiceUnavailable
	}
	body.Problem, body.Faults = "A cluster would reject these manifests. Nothing was compared.", err.Error()
	return http.StatusUnprocessableEntity
}

// groupsOf groups changes by their effect, those that open access first.
func groupsOf(changes []explain.Change) []changeGroup {
	groups := []changeGroup{
		{Effect: explain.EffectOpens, Title: "Opens", Kind: kindAttention},
		{Effect: explain.EffectCloses, Title: "Closes", Kind: kindDanger},
		{Effect: explain.EffectAlters, Title: "Changes", Kind: kindInfo},
	}
	for i := range groups {
		g := &groups[i]
		for _, change := range changes {
			if change.Effect == g.Effect {
				g.Changes = append(g.Changes, change)
			}
		}
		g.Others = max(0, len(g.Changes)-changesShown)
		g.Changes = g.Changes[:len(g.Changes)-g.Others]
	}
	return groups
}

// namespaceOf returns the namespace of the compiled objects; empty if there are none.
func namespaceOf(s *posture.Snapshot) string {
	for o := range s.Rollouts() {
		return o.Namespace
	}
	for o := range s.Partners() {
		return o.Namespace
	}
	return ""
}

// commands are those that check the change against the cluster, and apply it.
func (b *compareBody) commands() string {
	namespace := ""
	if b.Namespace != "" {
		namespace = " --namespace " + quoted(b.Namespace)
	}
	return "kubectl printmarket posture diff cluster --overlay FILE --field-manager kubectl" + namespace + "\n" +
		"kubectl apply --server-side" + namespace + " --filename FILE"
}
