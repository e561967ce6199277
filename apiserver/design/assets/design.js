// SPDX-License-Identifier: Apache-2.0

// Adds buttons that copy code, aligns the heads of columns of numbers, and labels the cells of
// tables, which become cards on narrow screens. Pages work without this script.
"use strict";
(() => {
  if (navigator.clipboard) {
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
  }
  const label = () => document.querySelectorAll("table:not(.matrix, .stacked)").forEach((table) => {
    const heads = table.querySelectorAll("thead th");
    if (heads.length === 0) return;
    for (const row of table.querySelectorAll("tbody tr")) {
      Array.from(row.children).forEach((cell, column) => {
        if (cell.tagName === "TD" && cell.textContent.trim() !== "") cell.dataset.label = heads[column].textContent;
        if (cell.classList.contains("number")) heads[column].classList.add("number");
      });
    }
    // Blocks are no tables for all screen readers.
    const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", td: "cell", "thead th": "columnheader", "tbody th": "rowheader" };
    table.setAttribute("role", roles.table);
    for (const [selector, role] of Object.entries(roles)) {
      for (const element of table.querySelectorAll(selector)) element.setAttribute("role", role);
    }
    table.classList.add("stacked");
  });
  label();
  document.addEventListener("replaced", label); // other scripts report that they replaced a part
})();
