// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"reflect"
	"time"

	"github.com/shopspring/decimal"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Document is a PrintTalk document: the parties, and one business object.
type Document struct {
	ICSVersions []string  `ptk:"ICSVersions,tokens"`
	PayloadID   string    `ptk:"payloadID,token"`
	Timestamp   time.Time `ptk:"timestamp,dateTime,required"`
	Version     Version   `ptk:"Version,enumeration"`
	// Other libraries write the parties of a header in another order: From, To, Sender.
	Header  Header  `ptk:"Header,element,required,anyorder"`
	Request Request `ptk:"Request,element,required"`
}

// Version is a version of PrintTalk.
type Version string

func (Version) values() []string { return []string{"2.0", "2.1", "2.2"} }

// Header identifies the parties.
type Header struct {
	From   Sender    `ptk:"From,element,required"`
	Sender *Sender   `ptk:"Sender,element"`
	To     Recipient `ptk:"To,element,required"`
}

// Sender is a party that sends.
type Sender struct {
	Credentials []Credential `ptk:"Credential,element,required"`
	UserAgent   string       `ptk:"UserAgent,text"`
}

// Recipient is the party that receives.
type Recipient struct {
	Credentials []Credential `ptk:"Credential,element,required"`
}

// Credential is an identity in a domain such as CustomerID.
type Credential struct {
	Domain   string `ptk:"domain,token,required"`
	Identity string `ptk:"Identity,text,required"`
}

// Request holds the business object.
type Request struct {
	BusinessID string `ptk:"BusinessID,token,required"`
	// BusinessRefID is the BusinessID of the object that this one responds to.
	BusinessRefID    string   `ptk:"BusinessRefID,token"`
	DescriptiveName  string   `ptk:"DescriptiveName,string"`
	ResponseProtocol Protocol `ptk:"ResponseProtocol,enumeration"`
	Object           Object   `ptk:",object,required"`
}

// Protocol is the way in which the recipient responds.
type Protocol string

func (Protocol) values() []string { return []string{"Asynchronous", "Unidirectional", "Both"} }

// Object is a business object: a pointer to one of the types below.
type Object interface{ object() string }

// RFQ requests quotes for jobs.
type RFQ struct {
	// AmountPrices are further quantities to quote.
	AmountPrices   []int64         `ptk:"AmountPrices,integers"`
	Currency       string          `ptk:"Currency,currency"`
	Estimate       *bool           `ptk:"Estimate,boolean"`
	Expires        time.Time       `ptk:"Expires,dateTime,required"`
	QuoteIDs       []string        `ptk:"QuoteIDs,tokens"`
	ReorderID      []string        `ptk:"ReorderID,tokens"`
	MasterContract *MasterContract `ptk:"MasterContract,element"`
	Comment        *xjdf.Node      `ptk:"Comment,core"`
	Jobs           []*xjdf.Node    `ptk:"XJDF,core,required"`
}

// Quotation answers an RFQ with one or more quotes.
type Quotation struct {
	Estimate       bool            `ptk:"Estimate,boolean,required"`
	Expires        time.Time       `ptk:"Expires,dateTime,required"`
	MasterContract *MasterContract `ptk:"MasterContract,element"`
	Quotes         []Quote         `ptk:"Quote,element,required"`
	Comment        *xjdf.Node      `ptk:"Comment,core"`
}

// Quote is one offer of a quotation.
type Quote struct {
	DeviationCause DeviationCause `ptk:"DeviationCause,enumeration"`
	Deviations     []string       `ptk:"Deviations,tokens"`
	QuoteID        string         `ptk:"QuoteID,token,required"`
	Pricing        Pricing        `ptk:"Pricing,element,required"`
	Comments       []*xjdf.Node   `ptk:"Comment,core,max=2"`
	Jobs           []*xjdf.Node   `ptk:"XJDF,core"`
}

// DeviationCause is the reason why an offer differs from the request.
type DeviationCause string

func (DeviationCause) values() []string {
	return []string{"ContentMismatch", "Efficiency", "Other", "Production", "Quality"}
}

// PurchaseOrder orders jobs.
type PurchaseOrder struct {
	Expires        time.Time       `ptk:"Expires,dateTime,required"`
	QuoteID        string          `ptk:"QuoteID,token"`
	ReorderID      []string        `ptk:"ReorderID,tokens"`
	ReturnAudits   []string        `ptk:"ReturnAudits,tokens"`
	ReturnJDF      *bool           `ptk:"ReturnJDF,boolean"`
	MasterContract *MasterContract `ptk:"MasterContract,element"`
	Pricing        *Pricing        `ptk:"Pricing,element"`
	Comment        *xjdf.Node      `ptk:"Comment,core"`
	Jobs           []*xjdf.Node    `ptk:"XJDF,core,required"`
}

// Confirmation accepts the object that it refers to.
type Confirmation struct {
	Comment *xjdf.Node `ptk:"Comment,core"`
}

// Cancellation withdraws an object.
type Cancellation struct {
	JobIDRef string     `ptk:"JobIDRef,token"`
	Comment  *xjdf.Node `ptk:"Comment,core"`
}

// Refusal rejects the object that it refers to.
type Refusal struct {
	Reason        Reason     `ptk:"Reason,enumeration,required"`
	ReasonDetails []string   `ptk:"ReasonDetails,tokens"`
	Comment       *xjdf.Node `ptk:"Comment,core"`
}

// Reason is the reason of a refusal.
type Reason string

func (Reason) values() []string {
	return []string{"Busy", "InvalidPrice", "Milestone", "Other", "WrongProduct"}
}

// OrderStatusRequest requests the status of jobs.
type OrderStatusRequest struct {
	Subscribed bool            `ptk:"Subscribed,boolean,required"`
	Requests   []StatusRequest `ptk:"StatusRequest,element,required"`
}

// StatusRequest selects a job and the details of its status.
type StatusRequest struct {
	JobIDRef        string          `ptk:"JobIDRef,token"`
	MilestoneAmount MilestoneAmount `ptk:"MilestoneAmount,enumeration"`
	ResourceAudit   string          `ptk:"ResourceAudit,token"`
}

// MilestoneAmount is the number of milestones in the response.
type MilestoneAmount string

func (MilestoneAmount) values() []string { return []string{"Brief", "Completed"} }

// OrderStatusResponse reports the status of a job as audits of XJDF.
type OrderStatusResponse struct {
	JobIDRef  string     `ptk:"JobIDRef,token,required"`
	AuditPool *xjdf.Node `ptk:"AuditPool,core,required"`
}

// Invoice requests a payment.
type Invoice struct {
	DueDate        time.Time       `ptk:"DueDate,dateTime,required"`
	MasterContract *MasterContract `ptk:"MasterContract,element"`
	Pricing        Pricing         `ptk:"Pricing,element,required"`
}

// MasterContract names a contract that applies.
type MasterContract struct {
	ContractID      string `ptk:"ContractID,string,required"`
	DescriptiveName string `ptk:"DescriptiveName,string"`
}

// Pricing is a list of prices in one currency.
type Pricing struct {
	Currency string     `ptk:"Currency,currency,required"`
	Payments []Payment  `ptk:"Payment,element"`
	Prices   []Price    `ptk:"Price,element,required"`
	Contact  *xjdf.Node `ptk:"Contact,core"`
}

// Price is a line of a pricing, or a sum of lines.
type Price struct {
	Amount          decimal.NullDecimal `ptk:"Amount,decimal"`
	DescriptiveName string              `ptk:"DescriptiveName,string,required"`
	DropID          string              `ptk:"DropID,token"`
	// ItemRefs are the IDs of products or resources in the jobs.
	ItemRefs []string `ptk:"ItemRefs,tokens"`
	LineID   string   `ptk:"LineID,id"`
	// LineIDRefs are the lines that a sum consists of.
	LineIDRefs []string            `ptk:"LineIDRefs,tokens"`
	Price      decimal.Decimal     `ptk:"Price,decimal,required"`
	PriceType  PriceType           `ptk:"PriceType,enumeration,required"`
	TaxType    TaxType             `ptk:"TaxType,enumeration,required"`
	UnitPrice  decimal.NullDecimal `ptk:"UnitPrice,decimal"`
	Additional []Additional        `ptk:"Additional,element"`
}

// PriceType is the subject of a price.
type PriceType string

func (PriceType) values() []string {
	return []string{"Discount", "DownPayment", "Handling", "Markup", "Other", "Prepaid", "Product", "Shipping", "Subtotal", "Total"}
}

// TaxType states whether a price includes tax, or is the tax.
type TaxType string

func (TaxType) values() []string { return []string{"Gross", "Net", "Tax"} }

// Additional is the price of another quantity.
type Additional struct {
	Amount     decimal.NullDecimal `ptk:"Amount,decimal"`
	BaseAmount decimal.Decimal     `ptk:"BaseAmount,decimal,required"`
	BasePrice  decimal.Decimal     `ptk:"BasePrice,decimal,required"`
	Price      decimal.NullDecimal `ptk:"Price,decimal"`
}

// Payment is a way to pay.
type Payment struct {
	Authorization        string       `ptk:"Authorization,string"`
	AuthorizationExpires time.Time    `ptk:"AuthorizationExpires,dateTime"`
	Expires              time.Time    `ptk:"Expires,dateTime"`
	IsPaid               *bool        `ptk:"IsPaid,boolean"`
	PaymentType          PaymentType  `ptk:"PaymentType,enumeration,required"`
	PaymentTypeDetails   string       `ptk:"PaymentTypeDetails,string"`
	Comment              *xjdf.Node   `ptk:"Comment,core"`
	Contact              *xjdf.Node   `ptk:"Contact,core"`
	GeneralIDs           []*xjdf.Node `ptk:"GeneralID,core"`
}

// PaymentType is the kind of a payment.
type PaymentType string

func (PaymentType) values() []string {
	return []string{"BankTransfer", "Contract", "CreditCard", "DebitCard", "DigitalCurrency", "Invoice", "Other", "PaymentProvider"}
}

func (*RFQ) object() string                 { return "RFQ" }
func (*Quotation) object() string           { return "Quotation" }
func (*PurchaseOrder) object() string       { return "PurchaseOrder" }
func (*Confirmation) object() string        { return "Confirmation" }
func (*Cancellation) object() string        { return "Cancellation" }
func (*Refusal) object() string             { return "Refusal" }
func (*OrderStatusRequest) object() string  { return "OrderStatusRequest" }
func (*OrderStatusResponse) object() string { return "OrderStatusResponse" }
func (*Invoice) object() string             { return "Invoice" }

// objects returns the types of the business objects by their names.
func objects() map[string]reflect.Type {
	byName := map[string]reflect.Type{}
	for _, o := range []Object{
		&RFQ{}, &Quotation{}, &PurchaseOrder{}, &Confirmation{}, &Cancellation{}, &Refusal{}, &OrderStatusRequest{}, &OrderStatusResponse{}, &Invoice{},
	} {
		byName[o.object()] = reflect.TypeOf(o).Elem()
	}
	return byName
}

// unsupported lists the business objects of PrintTalk that have no type here.
func unsupported() []string {
	return []string{
		"ContentDelivery", "ContentDeliveryResponse", "ProofApprovalRequest", "ProofApprovalResponse", "StockLevelRequest", "StockLevelResponse",
	}
}
