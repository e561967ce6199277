// SPDX-License-Identifier: Apache-2.0

// Replaces the part of a page that shows the state of the replicas every five seconds, while
// the page is visible. It stops when the server rejects a request, such as after a sign-out.
"use strict";
(() => {
  const live = document.getElementById("live");
  const refresh = async () => {
    if (!document.hidden) {
      let response;
      try {
        response = await fetch(live.dataset.refresh);
      } catch {
        // The server is unavailable: the next round tries again.
      }
      if (response?.ok) {
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        live.replaceChildren(...page.body.childNodes);
      } else if (response && response.status < 500) {
        return;
      }
    }
    setTimeout(refresh, 5000);
  };
  setTimeout(refresh, 5000);
})();
