// SPDX-License-Identifier: Apache-2.0

package view

import (
	"errors"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ResourceSet is all resources of one kind and purpose (3.4).
type ResourceSet struct{ *xjdf.Node }

// ResourceSets returns the sets of a document with a name, such as "Media", or all sets
// for "".
func ResourceSets(root *xjdf.Node, name string) []ResourceSet {
	var all []ResourceSet
	for n := range root.All("ResourceSet") {
		if set := (ResourceSet{n}); name == "" || set.Kind() == name {
			all = append(all, set)
		}
	}
	return all
}

// Kind returns the Name of the set, which is the name of its resources.
func (s ResourceSet) Kind() string { return text(s.Node, "Name") }

// Usage returns "Input", "Output", or "" for a set that others refer to.
func (s ResourceSet) Usage() string { return text(s.Node, "Usage") }

// Resources returns the resources of the set.
func (s ResourceSet) Resources() []Resource {
	var all []Resource
	for n := range s.All("Resource") {
		all = append(all, Resource{n})
	}
	return all
}

// Resource is one resource, or the resources of some parts of a job (6.1).
type Resource struct{ *xjdf.Node }

// Parts returns the parts of the job that the resource is for, each with its keys. A
// resource without parts is for the whole job.
func (r Resource) Parts() []map[string]string {
	var all []map[string]string
	for n := range r.All("Part") {
		keys := make(map[string]string, len(n.Attributes))
		for i := range n.Attributes {
			keys[n.Attributes[i].Name.String()] = n.Attributes[i].Value
		}
		all = append(all, keys)
	}
	return all
}

// Detail returns the element that describes the resource, such as its Media, or nil.
func (r Resource) Detail() *xjdf.Node {
	if r.Parent == nil {
		return nil
	}
	return r.Child(text(r.Parent, "Name"))
}

// Amounts are the amounts of a resource: those of all its parts together.
type Amounts struct {
	// Amount counts good items and Waste the others.
	Amount, Waste float64
	// Least and Most bound the amount; zero if they are not stated.
	Least, Most float64
}

// Amounts returns the sums over AmountPool. An error is a [*xjdf.ValueError]: of
// [xjdf.ErrMissing] if no Amount is stated, or of a value that is invalid.
func (r Resource) Amounts() (Amounts, error) {
	var sums Amounts
	pool, found := r.Child("AmountPool"), false
	if pool == nil {
		pool = r.Node
	}
	for n := range pool.All("PartAmount") {
		for _, of := range []struct {
			attribute string
			sum       *float64
		}{{"Amount", &sums.Amount}, {"Waste", &sums.Waste}, {"MinAmount", &sums.Least}, {"MaxAmount", &sums.Most}} {
			value, err := n.Number(of.attribute)
			if err != nil && !errors.Is(err, xjdf.ErrMissing) {
				return Amounts{}, err
			}
			*of.sum += value
			found = found || err == nil && of.sum == &sums.Amount
		}
	}
	if !found {
		_, err := pool.Number("Amount")
		return Amounts{}, err
	}
	return sums, nil
}

// Media is a material that is used (6.57).
type Media struct{ *xjdf.Node }

// Media returns the material that the resource is or, for a Component or an ExposedMedia,
// is made of.
func (r Resource) Media() (Media, bool) {
	detail := r.Detail()
	if detail == nil {
		return Media{}, false
	}
	if detail.Name.Local == "Media" {
		return Media{detail}, true
	}
	target := ByID(rootOf(r.Node), text(detail, "MediaRef"))
	if target != nil && target.Name.Local == "Resource" {
		target = target.Child("Media")
	}
	return Media{target}, target != nil && target.Name.Local == "Media"
}

// Type returns the MediaType, such as "Plate".
func (m Media) Type() string { return text(m.Node, "MediaType") }

// Sheet returns the size of the sheet, or the width of a web.
func (m Media) Sheet() (Size, error) { return size(m.Node, "Dimension", 2) }

// Weight returns the weight in grams per square metre.
func (m Media) Weight() (float64, error) { return m.Number("Weight") }

// Thickness returns the thickness in micrometres.
func (m Media) Thickness() (float64, error) { return m.Number("Thickness") }

// NodeInfo is the schedule and the state of a process (6.59).
type NodeInfo struct{ *xjdf.Node }

// NodeInfo returns the schedule that the resource is.
func (r Resource) NodeInfo() (NodeInfo, bool) {
	n := r.Child("NodeInfo")
	return NodeInfo{n}, n != nil
}

// Status returns the state, such as "Waiting".
func (n NodeInfo) Status() string { return text(n.Node, "Status") }

// Start returns the planned or actual start.
func (n NodeInfo) Start() (time.Time, error) { return n.Time("Start") }

// End returns the planned or actual end.
func (n NodeInfo) End() (time.Time, error) { return n.Time("End") }

// Total returns the time that the process takes.
func (n NodeInfo) Total() (time.Duration, error) { return n.Duration("TotalDuration") }

// RunList is the pages to be printed (6.73).
type RunList struct{ *xjdf.Node }

// RunList returns the pages that the resource is.
func (r Resource) RunList() (RunList, bool) {
	n := r.Child("RunList")
	return RunList{n}, n != nil
}

// Pages returns the number of pages.
func (l RunList) Pages() (int64, error) { return l.Integer("NPage") }

// URL returns the address of the file, or "".
func (l RunList) URL() string {
	if file := l.Child("FileSpec"); file != nil {
		return text(file, "URL")
	}
	return ""
}

// DropItem is the number of items of a delivery (6.26.1).
type DropItem struct{ *xjdf.Node }

// DropItems returns the items that the resource, a DeliveryParams, delivers.
func (r Resource) DropItems() []DropItem {
	var all []DropItem
	if delivery := r.Child("DeliveryParams"); delivery != nil {
		for n := range delivery.All("DropItem") {
			all = append(all, DropItem{n})
		}
	}
	return all
}

// Amount returns the number of items.
func (d DropItem) Amount() (int64, error) { return d.Integer("Amount") }

// Item returns the product or the resource that is delivered, or nil.
func (d DropItem) Item() *xjdf.Node { return ByID(rootOf(d.Node), text(d.Node, "ItemRef")) }

// Contact is a person or company of a job (6.19).
type Contact struct{ *xjdf.Node }

// Contact returns the contact that the resource is. Its purpose is the ContactType in
// [Resource.Parts].
func (r Resource) Contact() (Contact, bool) {
	n := r.Child("Contact")
	return Contact{n}, n != nil
}

// Company returns the name of the company, or "".
func (c Contact) Company() string { return text(c.Child("Company"), "OrganizationName") }

// Person returns the first and the family name of the person, or "".
func (c Contact) Person() string {
	person := c.Child("Person")
	return strings.TrimSpace(text(person, "FirstName") + " " + text(person, "FamilyName"))
}

// Locator returns the first address of a channel, such as "Email", or "".
func (c Contact) Locator(channel string) string {
	for n := range c.All("ComChannel") {
		if text(n, "ChannelType") == channel {
			return text(n, "Locator")
		}
	}
	return ""
}

// Address returns the postal address.
func (c Contact) Address() (Address, bool) {
	n := c.Child("Address")
	return Address{n}, n != nil
}

// Address is a postal address (8.1).
type Address struct{ *xjdf.Node }

// Street returns the street.
func (a Address) Street() string { return text(a.Node, "Street") }

// PostalCode returns the postal code.
func (a Address) PostalCode() string { return text(a.Node, "PostalCode") }

// City returns the city.
func (a Address) City() string { return text(a.Node, "City") }

// Region returns the state or province.
func (a Address) Region() string { return text(a.Node, "Region") }

// CountryCode returns the code of the country in ISO 3166-1, such as "DE".
func (a Address) CountryCode() string { return text(a.Node, "CountryCode") }

// Lines returns the lines as on an envelope.
func (a Address) Lines() []string {
	var all []string
	for n := range a.All("AddressLine") {
		all = append(all, n.Text)
	}
	return all
}
