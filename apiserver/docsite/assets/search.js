// Finds pages by their titles, headings and words. The index is a file of the site.
"use strict";

const limit = 40;

// The first results have an excerpt, which is read from their pages.
const excerpts = 8;

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

function wordsOf(question) {
  return question.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 2);
}

function find(index, words) {
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

const pages = new Map();

function load(file) {
  if (!pages.has(file)) {
    pages.set(file, fetch(file).then((response) => response.text()).then((text) => new DOMParser().parseFromString(text, "text/html")));
  }
  return pages.get(file);
}

// excerpt returns the text of a page that has most words of a question, from its heading on if the
// result names one, with the words marked.
async function excerpt(hit, words) {
  const [file, id] = hit.file.split("#");
  const blocks = [...(await load(file)).querySelectorAll("main :is(h1, h2, h3, p, li, td, pre)")];
  const from = id ? blocks.findIndex((block) => block.id === id) : 0;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join("|")})`, "giu");
  let best = { value: 0, text: "" };
  for (const block of blocks.slice(Math.max(from, 0)).filter((block) => !/^H/.test(block.tagName))) {
    const text = block.textContent.replace(/\s+/g, " ").trim();
    const count = new Set(Array.from(text.matchAll(pattern), (match) => match[0].toLowerCase())).size;
    const value = 2 * count - (block.tagName === "PRE" ? 1 : 0); // sentences before code
    if (value > best.value) best = { value, text };
  }
  if (best.value === 0) return null;
  const at = best.text.search(pattern);
  const start = Math.max(at - 60, 0);
  const cut = (start > 0 ? "…" : "") + best.text.slice(start, at + 140) + (best.text.length > at + 140 ? "…" : "");
  const paragraph = document.createElement("p");
  let last = 0;
  for (const match of cut.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    paragraph.append(cut.slice(last, match.index), mark);
    last = match.index + match[0].length;
  }
  paragraph.append(cut.slice(last));
  return paragraph;
}

function show(hits, words) {
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
    if (list.children.length <= excerpts) excerpt(hit, words).then((text) => text && item.append(text), () => {});
  }
}

async function start() {
  const field = document.getElementById("q");
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  const index = await (await fetch("search.json")).json();
  const update = () => {
    const words = wordsOf(field.value);
    show(find(index, words), words);
  };
  update();
  field.addEventListener("input", update);
  field.focus();
}

start().catch(() => {
  document.getElementById("search-status").textContent = "The index could not be read. Look through the list of all pages.";
});
