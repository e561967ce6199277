// SPDX-License-Identifier: Apache-2.0

// Loads the tour again every two seconds while it is visible, and replaces the parts that have
// changed: their elements have data-live. The rest of the page, its focus and its selection stay.
"use strict";
(() => {
  const update = async () => {
    const response = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live]")) {
      const now = fresh.getElementById(old.id);
      if (now && now.innerHTML !== old.innerHTML) old.replaceChildren(...now.childNodes);
    }
  };
  setInterval(() => {
    // A platform that does not answer is asked again at the next tick.
    if (document.visibilityState === "visible") update().catch(() => {});
  }, 2000);
})();
