// SPDX-License-Identifier: Apache-2.0

package preflightjob

// FailureCode identifies the reason why a job failed. The codes are a closed set.
type FailureCode string

// The codes; [Failures] describes them.
const (
	FetchRefused      FailureCode = "FETCH_REFUSED"
	FetchTimeout      FailureCode = "FETCH_TIMEOUT"
	FetchStatus       FailureCode = "FETCH_STATUS"
	FetchFailed       FailureCode = "FETCH_FAILED"
	FileTooLarge      FailureCode = "FILE_TOO_LARGE"
	TimeLimit         FailureCode = "TIME_LIMIT"
	MemoryLimit       FailureCode = "MEMORY_LIMIT"
	EngineCrash       FailureCode = "ENGINE_CRASH"
	OutputLimit       FailureCode = "OUTPUT_LIMIT"
	AttemptsExhausted FailureCode = "ATTEMPTS_EXHAUSTED"
	FileUnavailable   FailureCode = "FILE_UNAVAILABLE"
	// ProfileUnavailable means that the custom profile of a job has been deleted or is invalid.
	ProfileUnavailable FailureCode = "PROFILE_UNAVAILABLE"
)

// FailureKind holds one row of the table of failures.
type FailureKind struct {
	Code FailureCode `json:"code"`
	// Detail is the sentence that the partner reads.
	Detail string `json:"detail"`
}

var failures = [...]FailureKind{
	{FetchRefused, "The address of fileUrl is not permitted: it must be a public internet address."},
	{FetchTimeout, "The server of fileUrl did not deliver the file in time; check that it is reachable and fast enough, then submit again."},
	{FetchStatus, "The server of fileUrl returned an error status instead of the file; check that the URL is correct and has not expired."},
	{FetchFailed, "The file could not be fetched: the connection failed, was not trusted, or was redirected too often."},
	{FileTooLarge, "The file is larger than preflight accepts; the contract states the limit."},
	{TimeLimit, "The inspection exceeded the time limit; simplify or split the file."},
	{MemoryLimit, "The inspection exceeded the memory limit; simplify or split the file."},
	{EngineCrash, "The inspection engine crashed twice on this file, so no report is available. Export the PDF again and resubmit it."},
	{OutputLimit, "The findings exceed the maximum size of a report; simplify or split the file."},
	{AttemptsExhausted, "The job was started several times but never completed; submit it again."},
	{FileUnavailable, "The uploaded file of fileId was deleted before the job read it; upload the file and submit again."},
	{ProfileUnavailable, "The custom profile of the job was removed or became invalid before the inspection; submit again with another profile."},
}

// Failures returns the table of failures.
func Failures() []FailureKind { return append([]FailureKind(nil), failures[:]...) }

// Failure holds the reason why a job failed. The zero Failure means that it did not.
type Failure struct {
	Code   FailureCode
	Detail string
	// UpstreamStatus is the status of the file server for [FetchStatus]; 0 otherwise.
	UpstreamStatus int
}

// NewFailure returns the Failure of a code with the detail of the table; false for an
// unknown code.
func NewFailure(code FailureCode) (Failure, bool) {
	for _, kind := range failures {
		if kind.Code == code {
			return Failure{Code: kind.Code, Detail: kind.Detail}, true
		}
	}
	return Failure{}, false
}
