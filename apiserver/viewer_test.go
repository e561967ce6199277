// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/apitest"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

// TestTheViewerShowsTheContractsInABrowser is the page as a partner's engineer
// sees it: a real browser, the real handler, and no way to anywhere else.
func TestTheViewerShowsTheContractsInABrowser(t *testing.T) {
	t.Parallel()
	if !contracts.HasViewer(docs.API) {
		if os.Getenv("PRINTMARKET_CHROMIUM_REQUIRED") != "" {
			t.Fatal("the viewer is not built in; run make swagger-ui")
		}
		t.Skip("the viewer is not built in; run make swagger-ui")
	}
	w := apitest.New(t, apitest.Options{})
	server := httptest.NewServer(w.Handler)
	t.Cleanup(server.Close)
	b := startBrowser(t)

	t.Run("it opens on the XJDF contract", func(t *testing.T) {
		p := b.open(t)
		p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer})
		p.awaitContract(w, contracts.XJDF)
		p.wantInnocence(server.URL)
	})
	t.Run("its links lead to the other contracts and back", func(t *testing.T) {
		p := b.open(t)
		p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer})
		for _, name := range []contracts.Name{contracts.Partner, contracts.Preflight, contracts.XJDF} {
			p.click(fmt.Sprintf("nav a[data-contract=%q]", name))
			p.await(fmt.Sprintf("document.querySelector('nav a[aria-current=page]')?.dataset.contract === %q", name))
			p.awaitContract(w, name)
		}
		p.wantInnocence(server.URL)
	})
	t.Run("an address that names no contract shows the first", func(t *testing.T) {
		p := b.open(t)
		p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer + "?contract=https://elsewhere.example/x.yaml&url=//elsewhere.example"})
		p.awaitContract(w, contracts.XJDF)
		p.wantInnocence(server.URL)
	})
	t.Run("requests can be tried out", func(t *testing.T) {
		p := b.open(t)
		p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer})
		p.awaitContract(w, contracts.XJDF)
		p.click(".auth-wrapper .authorize")
		p.write(".modal-ux input", w.Key("acme-live"))
		p.click(".modal-ux .auth-btn-wrapper button.authorize")
		p.click(".modal-ux .btn-done")
		p.click("#operations-Discovery-getXjdf .opblock-summary-control")
		p.click("#operations-Discovery-getXjdf .try-out__btn")
		p.click("#operations-Discovery-getXjdf .execute")
		p.await("Array.from(document.querySelectorAll('.live-responses-table .response-col_status')).some((cell) => cell.innerText.startsWith('200'))")
		p.wantInnocence(server.URL)
	})
	t.Run("a page that reached out would be noticed", func(t *testing.T) {
		p := b.open(t)
		p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer})
		p.awaitContract(w, contracts.XJDF)
		for _, act := range []string{"new Image().src = 'https://elsewhere.example/x.png'", "console.error('x')"} {
			before := p.complained()
			var done bool
			p.eval(act+"; true", &done)
			for deadline := time.Now().Add(2 * time.Minute); p.complained() == before; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s is not noticed", act)
				}
			}
		}
	})
	t.Run("it fits on a phone", func(t *testing.T) {
		p := b.open(t)
		p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 375, "height": 812, "deviceScaleFactor": 2, "mobile": true})
		for _, name := range contracts.Names() {
			p.do("Page.navigate", map[string]any{"url": server.URL + contracts.Viewer + "?contract=" + string(name)})
			p.awaitContract(w, name)
			var width int
			if p.eval("document.documentElement.scrollWidth", &width); width > 375 {
				t.Errorf("%s: the page is %d wide", name, width)
			}
		}
		p.wantInnocence(server.URL)
	})
}

// awaitContract waits until the title and each operation of a contract stand on
// the page.
func (p *tab) awaitContract(w *apitest.World, name contracts.Name) {
	p.t.Helper()
	p.await(fmt.Sprintf("document.querySelector('.swagger-ui .info .title')?.innerText.includes(%q)", w.Contracts.Info(name).Title))
	var want []string
	for _, op := range w.Contracts.Operations() {
		if op.Contract == name {
			want = append(want, op.Method+" "+op.Path)
		}
	}
	p.await(fmt.Sprintf("document.querySelectorAll('.opblock').length >= %d", len(want)))
	var got []string
	p.eval(`Array.from(document.querySelectorAll('.opblock')).map((block) =>
		block.querySelector('.opblock-summary-method').innerText + ' ' + block.querySelector('.opblock-summary-path').dataset.path)`, &got)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: the page shows %v, the contract has %v", name, got, want)
	}
	if name == contracts.XJDF {
		p.await("document.querySelector('.swagger-ui .info').innerText.includes('private beta')")
	}
}

func (p *tab) complained() int {
	p.heard.Lock()
	defer p.heard.Unlock()
	return len(p.complaints)
}

// wantInnocence checks that the page complained of nothing and asked nobody
// else.
func (p *tab) wantInnocence(origin string) {
	p.t.Helper()
	p.heard.Lock()
	defer p.heard.Unlock()
	for _, complaint := range p.complaints {
		p.t.Errorf("the page complains: %s", complaint)
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") {
			p.t.Errorf("the page asked for %s", url)
		}
	}
	if len(p.requests) < 4 {
		p.t.Errorf("only %d requests were seen: %v", len(p.requests), p.requests)
	}
}
