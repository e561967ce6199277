// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// signal returns a callback with an id and a status of job J-1.
func signal(id, status string) string {
	return strings.NewReplacer("M-1", id, "S-1", "S"+id, "InProgress", status).Replace(apitest.Signal)
}

const inXML = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><Header DeviceID="press-7" ID="M-9" Time="2026-11-20T12:00:00Z"/>` +
	`<SignalStatus><Header DeviceID="press-7" ID="S-9" Time="2026-11-20T12:00:00Z"/><DeviceInfo Status="Idle"/></SignalStatus></XJMF>`

func callback(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "acme-live", Body: body}
}

// with replaces header fields of a callback.
func with(in apitest.Request, fields ...string) apitest.Request {
	in.Header = map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		in.Header[fields[i]] = fields[i+1]
	}
	return in
}

func TestSignalIsStoredAppliedAndAnsweredInXJMF(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := server.Do(t, callback(signal("M-1", "InProgress"))).Want(t, 200, "")
	var answer struct {
		Name   string
		Header struct {
			RefID string `json:"refID"`
		}
		ResponseStatus struct{ ReturnCode int }
	}
	a.Into(t, &answer)
	if answer.Name != "XJMF" || answer.Header.RefID != "M-1" || answer.ResponseStatus.ReturnCode != 0 {
		t.Errorf("unexpected answer %s", a.Body)
	}
	states, err := server.Callbacks.States(t.Context(), acmeLive, "J-1")
	if err != nil || len(states) != 1 || states[0].Status.String() != "InProgress" || states[0].Sender != apitest.SenderOf("acme") {
		t.Errorf("states are %+v with error %v", states, err)
	}
}

func TestAnswerHasEncodingOfMessage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ sent, accept, body, want string }{
		"the JSON of the standard":        {"application/vnd.cip4-xjmf+json", "", apitest.Signal, "application/vnd.cip4-xjmf+json"},
		"JSON, whatever it is called":     {"application/json; charset=UTF-8", "*/*", apitest.Signal, "application/vnd.cip4-xjmf+json"},
		"JSON that is to be called so":    {"application/json", "application/json", apitest.Signal, "application/json"},
		"the XML of the standard":         {"application/vnd.cip4-xjmf+xml", "", inXML, "application/vnd.cip4-xjmf+xml"},
		"XML, for whom anything will do":  {"text/xml", "*/*", inXML, "application/vnd.cip4-xjmf+xml"},
		"XML of an old gateway":           {"text/xml", "text/html, text/xml;q=0.9", inXML, "text/xml"},
		"XML, though JSON would be liked": {"application/xml", "application/json, */*;q=0.1", inXML, "application/vnd.cip4-xjmf+xml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			a := server.Do(t, with(callback(tc.body), "Content-Type", tc.sent, "Accept", tc.accept)).Want(t, 200, "")
			if got := a.Header.Get("Content-Type"); got != tc.want || bytes.HasPrefix(bytes.TrimSpace(a.Body), []byte("<")) != strings.HasSuffix(got, "xml") {
				t.Errorf("the answer has the media type %s: %s", got, a.Body)
			}
		})
	}
}

// TestBodyMustMatchMediaType sends bodies in the syntax of the other media type. The answer
// would otherwise have a syntax that differs from its media type.
func TestBodyMustMatchMediaType(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for mediaType, body := range map[string]string{"application/vnd.cip4-xjmf+xml": apitest.Signal, "application/vnd.cip4-xjmf+json": inXML} {
		server.Do(t, with(callback(body), "Content-Type", mediaType)).Want(t, 400, problem.CodeValidationError)
	}
}

// TestUnknownSenderAndWrongSignatureHaveSameAnswer compares bytes, except for the request
// id.
func TestUnknownSenderAndWrongSignatureHaveSameAnswer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Sender("stark", func(s *v1alpha1.XJMFSenderSpec) { s.State = v1alpha1.StateSuspended })
	good := credential.Sign(credential.SignedBody, apitest.SecretOf("acme"), "", []byte(apitest.Signal))
	tests := map[string]apitest.Request{
		"no fields at all":            {Method: http.MethodPost, Path: xjdfapi.CallbackPath, Body: apitest.Signal},
		"an API key instead":          {Method: http.MethodPost, Path: xjdfapi.CallbackPath, Body: apitest.Signal, Header: map[string]string{"Authorization": "Bearer " + server.Key("acme-live")}},
		"no sender":                   with(callback(apitest.Signal), "X-XJMF-Sender", ""),
		"no signature":                with(callback(apitest.Signal), "X-XJMF-Signature", ""),
		"no timestamp":                with(callback(apitest.Signal), "X-XJMF-Timestamp", ""),
		"an unknown sender":           with(callback(apitest.Signal), "X-XJMF-Sender", "press.unknown"),
		"the sender in capitals":      with(callback(apitest.Signal), "X-XJMF-Sender", "PRESS.ACME"),
		"another sender":              with(callback(apitest.Signal), "X-XJMF-Sender", apitest.SenderOf("globex")),
		"a suspended sender":          {Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "stark-live", Body: apitest.Signal},
		"a signature without digits":  with(callback(apitest.Signal), "X-XJMF-Signature", "sha256="),
		"a signature in capitals":     with(callback(apitest.Signal), "X-XJMF-Signature", "sha256="+strings.ToUpper(strings.TrimPrefix(good, "sha256="))),
		"a signature of half of it":   with(callback(apitest.Signal), "X-XJMF-Signature", good[:40]),
		"a signature of another body": with(callback(apitest.Signal+" "), "X-XJMF-Signature", good),
		"a body that is no XJMF":      with(callback("no XJMF"), "X-XJMF-Signature", good),
		"an unsupported media type":   with(callback(apitest.Signal), "X-XJMF-Sender", "press.unknown", "Content-Type", "image/png"),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := server.Do(t, in).Want(t, 401, problem.CodeXJMFSignatureInvalid)
			want := map[string]any{
				"type": apitest.Origin + "/problems/marketplace/unauthenticated", "title": "Authentication required", "status": float64(401),
				"code": "XJMF_SIGNATURE_INVALID", "detail": "The message is not signed by a registered sender.",
			}
			var got map[string]any
			a.Into(t, &got)
			delete(got, "requestId")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
			if a.Header.Get("Marketplace-Entitlement") != "" || a.Header.Get("Marketplace-Capability") != "" {
				t.Errorf("the answer reveals a partner: %v", a.Header)
			}
		})
	}
	if kept, err := server.Callbacks.Messages(t.Context(), acmeLive, "", 10); err != nil || len(kept) > 0 {
		t.Errorf("%d messages are stored, error %v", len(kept), err)
	}
}

func TestTimestampIsValidWithinFiveMinutes(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	now := server.Clock.Now()
	format := map[string]func(time.Time) string{
		"seconds":      func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) },
		"milliseconds": func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) },
		"RFC 3339":     func(at time.Time) string { return at.Format(time.RFC3339) },
		"an offset":    func(at time.Time) string { return at.In(time.FixedZone("", 3600)).Format(time.RFC3339) },
	}
	for name, write := range format {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, off := range []time.Duration{-300 * time.Second, 0, 300 * time.Second} {
				server.Do(t, with(callback(apitest.Signal), "X-XJMF-Timestamp", write(now.Add(off)))).Want(t, 200, "")
			}
			for _, off := range []time.Duration{-301 * time.Second, 301 * time.Second, 240 * time.Hour} {
				server.Do(t, with(callback(apitest.Signal), "X-XJMF-Timestamp", write(now.Add(off)))).Want(t, 401, problem.CodeXJMFTimestampOutside)
			}
		})
	}
	for _, text := range []string{"yesterday", "0", "-1", "1e9", "99999999999999999999", " 1", "2026-11-20", "2026-11-20T12:00:00"} {
		server.Do(t, with(callback(apitest.Signal), "X-XJMF-Timestamp", text)).Want(t, 401, problem.CodeXJMFTimestampOutside)
	}
}

// TestSignedTimestampCannotBeReplaced uses a sender whose scheme signs the timestamp.
func TestSignedTimestampCannotBeReplaced(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Sender("acme", func(s *v1alpha1.XJMFSenderSpec) { s.Scheme = v1alpha1.SchemeTimestampBody })
	now := strconv.FormatInt(server.Clock.Now().Unix(), 10)
	later := strconv.FormatInt(server.Clock.Now().Unix()+1, 10)
	signed := credential.Sign(credential.SignedTimestampBody, apitest.SecretOf("acme"), now, []byte(apitest.Signal))
	server.Do(t, with(callback(apitest.Signal), "X-XJMF-Signature", signed)).Want(t, 200, "")
	server.Do(t, with(callback(apitest.Signal), "X-XJMF-Signature", signed, "X-XJMF-Timestamp", later)).Want(t, 401, problem.CodeXJMFSignatureInvalid)
	server.Do(t, callback(apitest.Signal)).Want(t, 401, problem.CodeXJMFSignatureInvalid) // signed by the other scheme
}

func TestBothSecretsAreValidDuringRotation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	end, begin := metav1.NewTime(server.Clock.Now().Add(time.Hour)), metav1.NewTime(server.Clock.Now().Add(-time.Hour))
	server.AddSecret("acme-next", "next-secret-of-thirty-two-bytes-or-more")
	server.Sender("acme", func(s *v1alpha1.XJMFSenderSpec) {
		s.Secrets[0].NotAfter = &end
		s.Secrets = append(s.Secrets, v1alpha1.SharedSecret{
			Name: "next", NotBefore: &begin, SecretRef: v1alpha1.SecretKeyReference{Name: "acme-next", Key: "hmac"},
		})
	})
	by := func(secret credential.Secret) apitest.Request {
		return with(callback(apitest.Signal), "X-XJMF-Signature", credential.Sign(credential.SignedBody, secret, "", []byte(apitest.Signal)))
	}
	server.Do(t, by(apitest.SecretOf("acme"))).Want(t, 200, "")
	server.Do(t, by("next-secret-of-thirty-two-bytes-or-more")).Want(t, 200, "")
	server.Advance(time.Hour)
	late := strconv.FormatInt(server.Clock.Now().Unix(), 10)
	old, next := by(apitest.SecretOf("acme")), by("next-secret-of-thirty-two-bytes-or-more")
	old.Header["X-XJMF-Timestamp"], next.Header["X-XJMF-Timestamp"] = late, late
	server.Do(t, old).Want(t, 401, problem.CodeXJMFSignatureInvalid)
	server.Do(t, next).Want(t, 200, "")
}

func TestRepeatedMessageIsAppliedOnceAndReturnsOriginalAnswer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	first := server.Do(t, callback(signal("M-1", "InProgress"))).Want(t, 200, "")
	server.Do(t, callback(strings.Replace(signal("M-2", "Completed"), "12:00:00Z", "12:00:00.500Z", 2))).Want(t, 200, "")
	again := server.Do(t, callback(signal("M-1", "InProgress"))).Want(t, 200, "")
	if !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the second answer differs:\n%s\n%s", first.Body, again.Body)
	}
	states, err := server.Callbacks.States(t.Context(), acmeLive, "J-1")
	if err != nil || len(states) != 1 || states[0].Status.String() != "Completed" {
		t.Errorf("states are %+v with error %v", states, err)
	}
	server.Do(t, callback(signal("M-1", "Completed"))).Want(t, 409, problem.CodeXJMFMessageIDReused)
	// Another partner's sender may use the same id.
	server.Do(t, apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "stark-live", Body: signal("M-1", "Completed")}).Want(t, 200, "")
}

func TestEndedJobIsNotReopenedAndSenderGetsWarning(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Do(t, callback(signal("M-1", "Completed"))).Want(t, 200, "")
	server.Advance(time.Second)
	a := server.Do(t, callback(strings.ReplaceAll(signal("M-2", "InProgress"), "12:00:00Z", "12:00:01Z"))).Want(t, 200, "")
	if text := string(a.Body); !strings.Contains(text, `"ReturnCode":0`) && !strings.Contains(text, `"ReturnCode": 0`) || !strings.Contains(text, "Warning") {
		t.Errorf("unexpected answer %s", text)
	}
	states, err := server.Callbacks.States(t.Context(), acmeLive, "J-1")
	if err != nil || len(states) != 1 || states[0].Status.String() != "Completed" {
		t.Errorf("states are %+v with error %v", states, err)
	}
	if kept, err := server.Callbacks.Messages(t.Context(), acmeLive, "", 10); err != nil || len(kept) != 2 {
		t.Errorf("%d messages are stored, error %v", len(kept), err)
	}
}

func TestOnlyExternalVocabularyIsAccepted(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct{ body, pointer, hint string }{
		"a status of JDF 1":         {signal("A", "Running"), "#/SignalStatus/DeviceInfo/0/JobPhase/0/Status", "InProgress"},
		"a stage of ours":           {signal("B", "ImpositionReview"), "#/SignalStatus/DeviceInfo/0/JobPhase/0/Status", ""},
		"a status in small letters": {signal("C", "inprogress"), "#/SignalStatus/DeviceInfo/0/JobPhase/0/Status", ""},
		"a status of a device":      {strings.Replace(apitest.Signal, `"Production"`, `"Running"`, 1), "#/SignalStatus/DeviceInfo/0/Status", "Production"},
		"no JSON":                   {`{"Name":"XJMF",`, "#", ""},
		"no message":                {`{}`, "#", ""},
		"a document":                {`{"Name":"XJDF","Version":"2.2"}`, "#", ""},
		"a message of long ago":     {strings.Replace(apitest.Signal, "2026-11-20T12:00:00Z", "2026-11-18T12:00:00Z", 1), "#/Header/Time", "long ago"},
		"a time without a zone":     {strings.Replace(apitest.Signal, "2026-11-20T12:00:00Z", "2026-11-20T12:00:00", 1), "#/Header/Time", "zone"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := server.Do(t, callback(tc.body)).Want(t, 400, problem.CodeValidationError).Violations(t)
			detail, pointed := found[tc.pointer]
			if !pointed && tc.pointer != "#" || len(found) == 0 || !strings.Contains(detail, tc.hint) {
				t.Errorf("violations are %v, want one at %s that contains %q", found, tc.pointer, tc.hint)
			}
		})
	}
	if kept, err := server.Callbacks.Messages(t.Context(), acmeLive, "", 10); err != nil || len(kept) > 0 {
		t.Errorf("%d messages are stored, error %v", len(kept), err)
	}
}

func TestUntimelyMessageHasACode(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for at, want := range map[string]problem.ViolationCode{"2026-11-18T12:00:00Z": problem.MessageTooOld, "2026-11-22T12:00:00Z": problem.MessageInFuture} {
		var body struct{ Errors []problem.Violation }
		server.Do(t, callback(strings.Replace(apitest.Signal, "2026-11-20T12:00:00Z", at, 1))).Want(t, 400, problem.CodeValidationError).Into(t, &body)
		if len(body.Errors) != 1 || body.Errors[0].Code != want || body.Errors[0].Pointer != "#/Header/Time" {
			t.Errorf("a message of %s has the violations %v, want one with the code %s at #/Header/Time", at, body.Errors, want)
		}
	}
}

func TestPostureIsCheckedAfterSignature(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Kill(posture.XJMFInbound)
	server.Do(t, callback(apitest.Signal)).Want(t, 503, problem.CodeXJMFUnavailable)
	server.Do(t, with(callback(apitest.Signal), "X-XJMF-Signature", "sha256=00")).Want(t, 401, problem.CodeXJMFSignatureInvalid)
	server.Do(t, with(callback(apitest.Signal), "X-XJMF-Timestamp", "1")).Want(t, 401, problem.CodeXJMFTimestampOutside)
	server.Do(t, apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "globex-live", Body: apitest.Signal}).Want(t, 503, problem.CodeXJMFUnavailable)
}

func TestBodyWithoutContentLengthIsRefused(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	r := server.Build(t, callback(apitest.Signal))
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(apitest.Signal)), -1
	a := server.Send(t, r).Want(t, 411, problem.CodeLengthRequired)
	if a.Header.Get("Connection") != "close" {
		t.Error("the connection stays open with an unread body")
	}
}

func TestCallbacksHaveSeparateRateLimit(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Limit("acme", v1alpha1.SurfaceXJMF, 1)
	server.Do(t, callback(apitest.Signal)).Want(t, 200, "")
	server.Do(t, callback(apitest.Signal)).Want(t, 429, problem.CodeRateLimitExceeded).WantRetry(t)
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjdf", Key: "acme-live"}).Want(t, 200, "")
	// A request without a signature does not count against the limit of others.
	server.Do(t, with(callback(apitest.Signal), "X-XJMF-Signature", "sha256=00")).Want(t, 401, problem.CodeXJMFSignatureInvalid)
}

func TestUnsupportedMessageGetsReturnCode(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	body := strings.NewReplacer("SignalStatus", "QueryStatus", `,
"DeviceInfo":[{"Status":"Production","JobPhase":[{"JobID":"J-1","Status":"InProgress"}]}]`, "").Replace(apitest.Signal)
	a := server.Do(t, callback(body)).Want(t, 200, "")
	var answer struct {
		ResponseStatus struct{ ReturnCode json.Number }
	}
	a.Into(t, &answer)
	if answer.ResponseStatus.ReturnCode != "5" {
		t.Errorf("unexpected answer %s", a.Body)
	}
}
