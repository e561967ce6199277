// Finds pages by their titles, headings and words. The index is a file of the site.
"use strict";

const limit = 40;

// score is how well a page fits all words of a question; 0 if it does not.
function score(index, number, words) {
  const title = index.pages[number][1].toLowerCase();
  let sum = 0;
  for (const word of words) {
    let best = title.includes(word) ? 20 : 0;
    for (const [known, pages] of index.found.get(word)) {
      if (pages.includes(number)) best = Math.max(best, known === word ? 3 : 1);
    }
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

function find(index, question) {
  const words = question.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 2);
  if (words.length === 0) return null;
  index.found = new Map(words.map((word) => [word, Object.entries(index.words).filter(([known]) => known.startsWith(word))]));
  const hits = [];
  index.pages.forEach(([file, title], number) => {
    const fits = score(index, number, words);
    if (fits > 0) hits.push({ fits, file, title });
  });
  for (const [number, id, text] of index.headings) {
    const lower = text.toLowerCase();
    if (words.every((word) => lower.includes(word))) {
      const [file, title] = index.pages[number];
      hits.push({ fits: 12, file: file + "#" + id, title: title + ": " + text });
    }
  }
  return hits.sort((a, b) => b.fits - a.fits).slice(0, limit);
}

function show(hits) {
  const status = document.getElementById("search-status");
  const list = document.getElementById("found");
  list.replaceChildren();
  if (hits === null) {
    status.textContent = "Type a word of three letters or more.";
    return;
  }
  status.textContent = hits.length === 0 ? "Nothing was found." : hits.length + (hits.length === 1 ? " place" : " places");
  for (const hit of hits) {
    const link = document.createElement("a");
    link.href = hit.file;
    link.textContent = hit.title;
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
}

async function start() {
  const field = document.getElementById("q");
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  const index = await (await fetch("search.json")).json();
  show(find(index, field.value));
  field.addEventListener("input", () => show(find(index, field.value)));
  field.focus();
}

start().catch(() => {
  document.getElementById("search-status").textContent = "The index could not be read. Look through the list of all pages.";
});
