// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Analysis judges a rollout by measurements in Prometheus. While the capability is open, the
// controller judges the stage, and with a ramp each of its steps. The next step opens, and the
// stage can be raised, only after the analysis has succeeded. A measurement that fails ends the
// analysis. Without data, or without the controller, everything stays as it is.
type Analysis struct {
	// after is an instant such as 2027-01-01T00:00:00Z: the steps of the ramp until then open
	// without an analysis. The first step of the ramp never needs one.
	// +optional
	After *metav1.Time `json:"after,omitempty"`
	// initialDelaySeconds is the time between the opening and the first measurement.
	// +optional
	// +default=60
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	InitialDelaySeconds int32 `json:"initialDelaySeconds"`
	// intervalSeconds is the time between two measurements.
	// +optional
	// +default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	IntervalSeconds int32 `json:"intervalSeconds,omitempty"`
	// count is the number of measurements that must succeed. Those without data do not count.
	// +optional
	// +default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Count int32 `json:"count,omitempty"`
	// onFailure is the effect of a measurement that fails: Hold keeps what is open, RollBack
	// also closes the step of the ramp that failed.
	// +optional
	// +default="Hold"
	OnFailure AnalysisAction `json:"onFailure,omitempty"`
	// attempt numbers the analyses: a new number starts another one after a failure.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempt int32 `json:"attempt,omitempty"`
	// queries are the queries of a measurement. All of them must succeed.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Queries []AnalysisQuery `json:"queries"`
}

// AnalysisAction is the effect of a failed analysis: Hold or RollBack.
//
// +kubebuilder:validation:Enum=Hold;RollBack
// +kubebuilder:validation:MaxLength=16
type AnalysisAction string

const (
	// AnalysisHold keeps what is open.
	AnalysisHold AnalysisAction = "Hold"
	// AnalysisRollBack closes the step of the ramp that failed.
	AnalysisRollBack AnalysisAction = "RollBack"
)

// AnalysisQuery is one query with the values that succeed and fail.
type AnalysisQuery struct {
	// name identifies the query in the status.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// promQL is an instant query that returns one number: a scalar, or a vector with one
	// element. $capability is replaced by the name of the capability, and $cohort by the label
	// cohort of the partners that the judged step admits: the percent of the step, "all"
	// without a ramp, "test" at the stage Sandbox.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	PromQL string `json:"promQL"`
	// stages are the stages that the query judges; all of them if it is empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Stages []Stage `json:"stages,omitempty"`
	// percents are the steps of the ramp that the query judges; all of them if it is empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=100
	Percents []int32 `json:"percents,omitempty"`
	// success is the range of values that succeed.
	// +required
	Success AnalysisRange `json:"success"`
	// failure is the range of values that fail; every value that does not succeed if it is
	// absent. A value in neither range counts as no data.
	// +optional
	Failure *AnalysisRange `json:"failure,omitempty"`
}

// AnalysisRange is a range of values.
//
// +kubebuilder:validation:MinProperties=1
type AnalysisRange struct {
	// atLeast is the lowest value of the range, such as "0.99".
	// +optional
	AtLeast Decimal `json:"atLeast,omitempty"`
	// atMost is the highest value of the range, such as "0.01".
	// +optional
	AtMost Decimal `json:"atMost,omitempty"`
}

// Decimal is a decimal number as a text.
//
// +kubebuilder:validation:Pattern=`^-?[0-9]{1,12}(\.[0-9]{1,12})?$`
// +kubebuilder:validation:MaxLength=26
type Decimal string

// AnalysisStatus is the state of the latest analysis. The gates read stage, at, percent, phase
// and since.
type AnalysisStatus struct {
	// stage is the judged stage.
	// +required
	Stage Stage `json:"stage"`
	// at is the time in spec.schedule of the judged step of the ramp; absent without a ramp.
	// +optional
	At *metav1.Time `json:"at,omitempty"`
	// percent is the percent of the judged step; 0 without a ramp.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent"`
	// attempt is spec.analysis.attempt of this analysis.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempt int32 `json:"attempt,omitempty"`
	// phase is Running, Succeeded or Failed.
	// +required
	Phase AnalysisPhase `json:"phase"`
	// since is when the phase began.
	// +required
	Since metav1.Time `json:"since"`
	// measured is when the latest measurement was made.
	// +optional
	Measured *metav1.Time `json:"measured,omitempty"`
	// succeeded is the number of measurements that succeeded.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Succeeded int32 `json:"succeeded"`
	// values are the results of the latest measurement.
	// +optional
	// +listType=map
	// +listMapKey=query
	// +kubebuilder:validation:MaxItems=8
	Values []AnalysisValue `json:"values,omitempty"`
	// message explains a failure, or why there are no data.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// AnalysisPhase is the phase of an analysis: Running, Succeeded or Failed.
//
// +kubebuilder:validation:Enum=Running;Succeeded;Failed
// +kubebuilder:validation:MaxLength=16
type AnalysisPhase string

const (
	// AnalysisRunning means that measurements are still needed.
	AnalysisRunning AnalysisPhase = "Running"
	// AnalysisSucceeded means that all measurements succeeded.
	AnalysisSucceeded AnalysisPhase = "Succeeded"
	// AnalysisFailed means that a measurement failed.
	AnalysisFailed AnalysisPhase = "Failed"
)

// AnalysisValue is the result of one query.
type AnalysisValue struct {
	// query is the name of the query.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Query string `json:"query"`
	// value is the value in the response; absent if the response had none.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Value string `json:"value,omitempty"`
	// result is Success, Failure or NoData.
	// +required
	Result AnalysisResult `json:"result"`
}

// AnalysisResult is the result of a query: Success, Failure or NoData.
//
// +kubebuilder:validation:Enum=Success;Failure;NoData
// +kubebuilder:validation:MaxLength=16
type AnalysisResult string

const (
	// AnalysisSuccess means that the value is in the range of success.
	AnalysisSuccess AnalysisResult = "Success"
	// AnalysisFailure means that the value is in the range of failure.
	AnalysisFailure AnalysisResult = "Failure"
	// AnalysisNoData means that there is no value, or one in neither range.
	AnalysisNoData AnalysisResult = "NoData"
)
