// SPDX-License-Identifier: Apache-2.0

// Lets a visitor drop a file on the form of a new job, shows how much of the file has been sent, and
// then opens the page of the job. Without this script the browser sends the form.
"use strict";
(() => {
  const form = document.getElementById("upload");
  const input = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const button = form.querySelector("button");
  const bar = form.querySelector("progress");
  const status = document.getElementById("upload-status");
  const limit = Number(form.dataset.limit);
  const size = (bytes) => `${(bytes / 1048576).toFixed(1)} MiB`;

  const busy = (is) => {
    bar.hidden = !is;
    button.disabled = input.disabled = is;
    drop.classList.remove("over");
  };
  const open = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const content = document.getElementById("content");
    content.replaceChildren(...page.getElementById("content").childNodes);
    document.title = page.title;
    content.focus();
  };
  const send = () => {
    const file = input.files[0];
    if (!file) return;
    if (file.size > limit) {
      status.textContent = `The file has ${size(file.size)}, which is more than ${size(limit)}.`;
      return;
    }
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (event) => {
      bar.max = event.total;
      bar.value = event.loaded;
      status.textContent = event.loaded < event.total ? `${size(event.loaded)} of ${size(event.total)} sent` : "File sent. The server checks it.";
    });
    request.addEventListener("load", () => {
      if (request.status < 400) location.assign(request.responseURL);
      else open(request.responseText);
    });
    request.addEventListener("error", () => {
      busy(false);
      status.textContent = "The upload was interrupted. Try again.";
    });
    status.textContent = "Sending the file.";
    request.send(new FormData(form)); // before the field is disabled, which would omit it
    busy(true);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (button.disabled) return;
    if (event.dataTransfer.files.length !== 1) {
      status.textContent = "Drop one file.";
      return;
    }
    input.files = event.dataTransfer.files;
    if (form.reportValidity()) send();
  });
  // A page that the browser kept has the state of its last upload.
  addEventListener("pageshow", () => {
    busy(false);
    status.textContent = "";
  });
})();
