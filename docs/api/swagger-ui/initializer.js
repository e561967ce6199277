// SPDX-License-Identifier: Apache-2.0
"use strict";

// The links of the page are the closed list of contracts; an address that names
// another one gets the first.
(function () {
  const links = Array.from(document.querySelectorAll("nav a[data-contract]"));
  const wanted = new URLSearchParams(window.location.search).get("contract");
  const chosen = links.find((link) => link.dataset.contract === wanted) || links[0];
  chosen.setAttribute("aria-current", "page");
  document.title = chosen.textContent + ": Print Marketplace contracts";

  SwaggerUIBundle({
    url: chosen.dataset.contract,
    dom_id: "#swagger-ui",
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [CodeSamples],
    layout: "BaseLayout",
    deepLinking: true,
    // No other server checks the contracts, and no key outlives the page.
    validatorUrl: null,
    persistAuthorization: false,
  });
})();
