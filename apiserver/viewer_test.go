// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/browsertest"
	"github.com/printmarket/printmarket/test/eventually"
)

// The test opens the page of the real handler in a real browser that has no access to
// other hosts.
func TestTheViewerShowsTheContractsInABrowser(t *testing.T) {
	t.Parallel()
	if !contracts.HasViewer(docs.API) {
		if os.Getenv("PRINTMARKET_CHROMIUM_REQUIRED") != "" {
			t.Fatal("the viewer is not built in; run make page-assets")
		}
		t.Skip("the viewer is not built in; run make page-assets")
	}
	api := apitest.New(t, apitest.Options{})
	server := httptest.NewServer(api.Handler)
	t.Cleanup(server.Close)
	b := browsertest.Start(t)

	// Loading and showing a contract takes seconds of a core, so the tests share pages.
	t.Run("it opens on the XJDF contract, and its links lead to the others and back", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + contracts.Viewer)
		awaitContract(t, p, api, contracts.XJDF)
		for _, name := range []contracts.Name{contracts.Preflight, contracts.XJDF, contracts.Partner} {
			p.Click(fmt.Sprintf("nav a[data-contract=%q]", name))
			p.Await(fmt.Sprintf("document.querySelector('nav a[aria-current=page]')?.dataset.contract === %q", name))
			awaitContract(t, p, api, name)
			fitsOnAPhone(t, p, name)
		}
		samplesHaveTabs(p)
		p.WantNoErrors(server.URL, 4)
	})
	t.Run("an unknown contract in the address shows the first contract, whose requests can be tried out", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + contracts.Viewer + "?contract=https://elsewhere.example/x.yaml&url=//elsewhere.example")
		awaitContract(t, p, api, contracts.XJDF)
		p.Click(".auth-wrapper .authorize")
		p.Write(".modal-ux input", api.Key("acme-live"))
		p.Click(".modal-ux .auth-btn-wrapper button.authorize")
		p.Click(".modal-ux .btn-done")
		p.Click("#operations-Discovery-getXjdf .opblock-summary-control")
		p.Click("#operations-Discovery-getXjdf .try-out__btn")
		p.Click("#operations-Discovery-getXjdf .execute")
		p.Await("Array.from(document.querySelectorAll('.live-responses-table .response-col_status')).some((cell) => cell.innerText.startsWith('200'))")
		p.WantNoErrors(server.URL, 4)
		requestsToOthersAreDetected(t, p)
	})
}

// samplesHaveTabs checks that the samples of an operation of the partner contract have a tab for each language.
func samplesHaveTabs(p *browsertest.Tab) {
	p.Click("#operations-RFQs-createRfq .opblock-summary-control")
	p.Await("document.querySelector('#samples-createRfq-panel')?.innerText.startsWith('curl ')")
	p.Click("#samples-createRfq-2")
	p.Await("document.querySelector('#samples-createRfq-panel').innerText.includes('await fetch(')")
	var focused bool
	p.Eval("document.querySelector('#samples-createRfq-2').focus(); true", &focused)
	p.Do("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "ArrowRight"})
	p.Await("document.querySelector('#samples-createRfq-panel').innerText.startsWith('import os')")
	p.Await("document.activeElement.id === 'samples-createRfq-3' && document.activeElement.ariaSelected === 'true'")
	p.Click("#operations-RFQs-listRfqs .opblock-summary-control")
	p.Await("document.querySelector('#samples-listRfqs-panel')?.innerText.startsWith('import os')")
}

// fitsOnAPhone checks the width of the page on the screen of a phone.
func fitsOnAPhone(t *testing.T, p *browsertest.Tab, name contracts.Name) {
	t.Helper()
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 375, "height": 812, "deviceScaleFactor": 2, "mobile": true})
	var width int
	if p.Eval("document.documentElement.scrollWidth", &width); width > 375 {
		t.Errorf("%s: the page is %d pixels wide", name, width)
	}
	p.Do("Emulation.clearDeviceMetricsOverride", nil)
}

// requestsToOthersAreDetected checks that the tab reports a request to another host, and an error of the console.
func requestsToOthersAreDetected(t *testing.T, p *browsertest.Tab) {
	t.Helper()
	for _, act := range []string{"new Image().src = 'https://elsewhere.example/x.png'", "console.error('x')"} {
		before := p.Errors()
		var done bool
		p.Eval(act+"; true", &done)
		eventually.Holds(t, act+" is detected", func() bool { return p.Errors() != before })
	}
}

// awaitContract waits until the page shows the title and each operation of a contract.
func awaitContract(t *testing.T, p *browsertest.Tab, server *apitest.Server, name contracts.Name) {
	t.Helper()
	p.Await(fmt.Sprintf("document.querySelector('.swagger-ui .info .title')?.innerText.includes(%q)", server.Contracts.Info(name).Title))
	var want []string
	for _, op := range server.Contracts.Operations() {
		if op.Contract == name {
			want = append(want, op.Method+" "+op.Path)
		}
	}
	p.Await(fmt.Sprintf("document.querySelectorAll('.opblock').length >= %d", len(want)))
	var got []string
	p.Eval(`Array.from(document.querySelectorAll('.opblock')).map((block) =>
		block.querySelector('.opblock-summary-method').innerText + ' ' + block.querySelector('.opblock-summary-path').dataset.path)`, &got)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: the page shows %v, the contract has %v", name, got, want)
	}
	if name == contracts.XJDF {
		p.Await("document.querySelector('.swagger-ui .info').innerText.includes('private beta')")
	}
}
