// SPDX-License-Identifier: Apache-2.0

// Applies the chosen colours before a page is shown, and stores a choice without a request, so
// that the choice works on sites without a server. The dashboard uses the same cookie.
"use strict";
(() => {
  const root = document.documentElement;
  const stored = document.cookie.match(/(?:^|; )printmarket-theme=(light|dark)(?:;|$)/);
  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of document.querySelectorAll(".theme button")) button.setAttribute("aria-pressed", String(button.value === theme));
  };
  const chosen = stored ? stored[1] : "system";
  apply(chosen);
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector(".theme");
    form.hidden = false;
    apply(chosen);
    form.addEventListener("submit", (event) => {
      const theme = event.submitter.value;
      event.preventDefault();
      document.cookie = `printmarket-theme=${theme}; path=/; max-age=${theme === "system" ? 0 : 31536000}; samesite=lax`;
      apply(theme);
    });
  });
})();
