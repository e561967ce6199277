// SPDX-License-Identifier: Apache-2.0

// Moves the bar of a job that has not ended, and loads the page again when it has, or
// when the job cannot be followed: then the page says why.
"use strict";
(() => {
  const live = document.getElementById("live");
  const bar = live.querySelector("progress");
  const tell = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const again = () => location.reload();
  const events = new EventSource(live.dataset.events);
  const show = (event) => {
    const job = JSON.parse(event.data);
    tell(document.getElementById("state"), job.status);
    if (job.progress) {
      bar.max = job.progress.pagesTotal;
      bar.value = job.progress.pagesDone;
      tell(document.getElementById("pages"), `${job.progress.pagesDone} of ${job.progress.pagesTotal} pages`);
    } else {
      bar.removeAttribute("value");
      tell(document.getElementById("pages"), "not known yet");
    }
  };
  for (const name of ["queued", "processing"]) events.addEventListener(name, show);
  for (const name of ["succeeded", "failed", "cancelled"]) {
    events.addEventListener(name, () => {
      events.close();
      again();
    });
  }
  // A stream that breaks off is connected again by itself; one that is refused is not.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(again, 5000);
  });
})();
