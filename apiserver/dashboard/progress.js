// SPDX-License-Identifier: Apache-2.0

// Updates the progress of an unfinished job. Reloads the page when the job has ended or
// cannot be followed; the reloaded page shows the reason.
"use strict";
(() => {
  const live = document.getElementById("live");
  const bar = live.querySelector("progress");
  const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const again = () => location.reload();
  const events = new EventSource(live.dataset.events);
  const show = (event) => {
    const job = JSON.parse(event.data);
    setText(document.getElementById("state"), job.status);
    if (job.progress) {
      bar.max = job.progress.pagesTotal;
      bar.value = job.progress.pagesDone;
      setText(document.getElementById("pages"), `${job.progress.pagesDone} of ${job.progress.pagesTotal} pages`);
    } else {
      bar.removeAttribute("value");
      setText(document.getElementById("pages"), "page count not known yet");
    }
  };
  for (const name of ["queued", "processing"]) events.addEventListener(name, show);
  for (const name of ["succeeded", "failed", "cancelled"]) {
    events.addEventListener(name, () => {
      events.close();
      again();
    });
  }
  // The browser reconnects an interrupted stream, but not a rejected one.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(again, 5000);
  });
})();
