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

  // The dashboard states the colours that the visitor has chosen.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark");
  paint();
  system.addEventListener("change", paint);

  SwaggerUIBundle({
    url: chosen.dataset.contract,
    dom_id: "#swagger-ui",
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [CodeSamples],
    layout: "BaseLayout",
    deepLinking: true,
    // The dashboard only shows contracts: requests go to the API, which is another origin.
    ...("shown" in document.getElementById("swagger-ui").dataset && {supportedSubmitMethods: []}),
    // No other server checks the contracts, and no key outlives the page.
    validatorUrl: null,
    persistAuthorization: false,
  });
})();
