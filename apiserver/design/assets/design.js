// SPDX-License-Identifier: Apache-2.0

// Adds buttons that copy code, aligns the heads of columns of numbers, and labels the cells of
// tables, which the style sheet shows as cards on a phone.
// It runs before the body is parsed, so that a table has its labels when it is first painted.
// Pages work without this script; tables scroll sideways on a phone then.
"use strict";
(() => {
  // Blocks are no tables for all screen readers.
  const roles = { "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "thead th": "columnheader", "tbody th": "rowheader", "td": "cell" };
  const label = () => {
    for (const table of document.querySelectorAll("table:has(thead)")) {
      table.setAttribute("role", "table");
      const heads = table.querySelectorAll("thead th");
      for (const [selector, role] of Object.entries(roles)) {
        for (const element of table.querySelectorAll(`:is(${selector}):not([role])`)) element.setAttribute("role", role);
      }
      for (const cell of table.querySelectorAll("tbody td:not([data-label])")) {
        const head = heads[cell.cellIndex];
        if (!head || cell.textContent.trim() === "") continue;
        cell.dataset.label = head.textContent;
        if (cell.classList.contains("number")) head.classList.add("number");
      }
    }
  };

  new MutationObserver(label).observe(document.documentElement, { childList: true, subtree: true });

  const addCopyButtons = () => {
    for (const block of document.querySelectorAll("pre")) {
      const box = document.createElement("div");
      const button = document.createElement("button");
      box.className = "code";
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.textContent);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
      block.before(box);
      box.append(block, button);
    }
  };
  if (navigator.clipboard) document.addEventListener("DOMContentLoaded", addCopyButtons);
})();
