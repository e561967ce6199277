// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// PreflightProfile is a custom profile of preflight: the rules by which files of some
// partners are judged. Its name is the value of profile in a submission. Only partners
// whose grant of the capability preflight lists the name can use it. It has the same
// members as the file of a custom profile.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=profile,categories=printmarket
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=".spec.version"
// +kubebuilder:printcolumn:name="Extends",type=string,JSONPath=".spec.extends"
// +kubebuilder:printcolumn:name="Rules",type=integer,JSONPath=".status.rules"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Digest",type=string,JSONPath=".status.digest",priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name is too long: choose one of at most 63 characters"
// +kubebuilder:validation:XValidation:rule="!(self.metadata.name in ['carton', 'label', 'newspaper', 'pdfx1a', 'pdfx3', 'pdfx4', 'pdfx6'])",message="a built-in profile has this name: choose another name"
type PreflightProfile struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec is the content of the profile.
	// +required
	Spec PreflightProfileSpec `json:"spec"`
	// status is the state of the profile, and the reasons for it.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PreflightProfileStatus `json:"status,omitzero"`
}

// PreflightProfileSpec is the content of a profile.
//
// +kubebuilder:validation:XValidation:rule="has(self.extends) || has(self.rules) && size(self.rules) > 0",message="a profile without rules accepts every file: set extends or rules"
type PreflightProfileSpec struct {
	// version is the version in reports, such as 1.0.0. Change it when you change the
	// profile.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9A-Za-z]([0-9A-Za-z.+-]*[0-9A-Za-z])?$`
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version"`
	// title is the name of the profile in user interfaces; absent means the name of the
	// object.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Title string `json:"title,omitempty"`
	// description is a sentence that helps to choose the profile; absent means the title.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=500
	Description string `json:"description,omitempty"`
	// extends is the built-in profile whose settings apply where this one has none.
	// Another PreflightProfile cannot be extended. If it is absent, the profile has only
	// its own rules.
	// +optional
	Extends BaseProfile `json:"extends,omitempty"`
	// rules are the settings of the rules by the id of the rule, such as box.bleed_short.
	// The command printmarket preflight rules lists the rules.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	// +kubebuilder:validation:XValidation:rule="self.all(id, size(id) <= 64)",message="the id of a rule has at most 64 characters"
	Rules map[string]ProfileRule `json:"rules,omitempty"`
	// inks are the roles of inks by name, where the name does not state the role. Names are
	// compared without case, blanks and separators.
	// +optional
	// +kubebuilder:validation:MaxProperties=200
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 127)",message="the name of an ink has at most 127 characters"
	Inks map[string]InkRole `json:"inks,omitempty"`
}

// InkRole is the use of an ink that is no part of the artwork, or artwork for an ink whose name
// only looks technical. A test keeps this list equal to the roles of package report.
//
// +kubebuilder:validation:Enum=cut;crease;perforate;drill;glue;white;varnish;foil;emboss;braille;legend;technical;artwork
type InkRole string

// BaseProfile is the name of a built-in profile. A test keeps this list equal to the
// profiles of package profile.
//
// +kubebuilder:validation:Enum=book_cover;book_interior;carton;digital_toner;gwg2022_carton;gwg2022_corrugated_display;gwg2022_digital;gwg2022_flexible;gwg2022_label;gwg2022_large_format;gwg2022_magazine_ads_cmyk;gwg2022_magazine_ads_rgb;gwg2022_newspaper_ads_cmyk;gwg2022_newspaper_ads_rgb;gwg2022_packaging_flexo;gwg2022_packaging_gravure;gwg2022_packaging_offset;gwg2022_sheet_cmyk;gwg2022_sheet_rgb;gwg2022_sheet_spot_cmyk;gwg2022_sheet_spot_rgb;gwg2022_web_cmyk;gwg2022_web_news_cmyk;gwg2022_web_news_rgb;gwg2022_web_rgb;gwg2022_web_spot_cmyk;gwg2022_web_spot_rgb;label;large_format;magazine_ad;newspaper;pdfx1a;pdfx3;pdfx4;pdfx6;photo_rgb;print_ready;sheetfed_offset;sheetfed_offset_spot;structure_only;web_offset_heatset
type BaseProfile string

// ProfileRule is the setting of one rule. Members that are absent are as in the profile
// that is extended.
//
// +kubebuilder:validation:MinProperties=1
type ProfileRule struct {
	// severity is error, warning or info, or "off" to deselect a rule of the extended
	// profile. Write "off" in quotation marks: YAML reads off without them as false.
	// +optional
	Severity RuleSeverity `json:"severity,omitempty"`
	// limit is the value that the rule compares with: a number in the unit of the rule, or
	// a text with a unit, such as "0.25 pt". Write a number with decimals as a text.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^([0-9]{1,6}([.][0-9]{1,6})?|[.][0-9]{1,6}) ?[A-Za-z0-9%/]{0,16}$`
	Limit *intstr.IntOrString `json:"limit,omitempty"`
	// tolerance is the amount by which a value may miss the limit, like limit.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^([0-9]{1,6}([.][0-9]{1,6})?|[.][0-9]{1,6}) ?[A-Za-z0-9%/]{0,16}$`
	Tolerance *intstr.IntOrString `json:"tolerance,omitempty"`
	// area is the smallest faulty area of a page that is reported, in mm2, like limit.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^([0-9]{1,6}([.][0-9]{1,6})?|[.][0-9]{1,6}) ?[A-Za-z0-9%/]{0,16}$`
	Area *intstr.IntOrString `json:"area,omitempty"`
	// source names the source of the limit, which profiles show.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Source string `json:"source,omitempty"`
}

// RuleSeverity is the severity of the findings of a rule.
//
// +kubebuilder:validation:Enum="off";info;warning;error
type RuleSeverity string

// PreflightProfileStatus is the state of one profile.
type PreflightProfileStatus struct {
	// conditions are Ready, Reconciling, Stalled and Propagated.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes; -1 until a
	// controller has processed the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// digest is the SHA-256 of the profile with the rules that it extends, as in reports;
	// empty for an invalid profile.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
	// rules is the number of rules that the profile selects, with those that it extends.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Rules int32 `json:"rules"`
	// history are the latest changes of the object, newest first. It is no audit log: entries
	// beyond the limit are dropped, and changes that follow each other at once can be one entry.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	History []HistoryEntry `json:"history,omitempty"`
	// recorded summarizes the spec that history describes.
	// +optional
	Recorded *Recorded `json:"recorded,omitempty"`
}

// PreflightProfileList is a list of profiles.
//
// +kubebuilder:object:root=true
type PreflightProfileList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []PreflightProfile `json:"items"`
}
