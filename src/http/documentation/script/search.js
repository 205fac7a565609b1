/** Searches titles first, then the words of each section. The index is read when the reader begins to search. */

const shownMax = 12;

export function startSearch() {
  const box = document.querySelector(".search");
  const input = box.querySelector("input");
  const list = box.querySelector("ul");
  const site = document.body.dataset.site;
  box.hidden = false;
  let index = null;
  let chosen = 0;

  const load = () => {
    index ??= fetch(`${site}/search.json`).then((response) => response.json());
    return index;
  };

  async function update() {
    const entries = await load();
    const found = search(entries, input.value).slice(0, shownMax);
    chosen = 0;
    const none = document.createElement("li");
    none.className = "none";
    none.textContent = "No page found";
    list.replaceChildren(...(found.length > 0 ? found.map(option) : [none]));
    show(input.value.trim() !== "");
    mark();
  }

  function option([title, where, url], at) {
    const link = document.createElement("a");
    link.href = `${site}/${url}`;
    link.tabIndex = -1;
    const name = document.createElement("strong");
    name.textContent = title;
    const place = document.createElement("span");
    place.textContent = where;
    link.append(name, " ", place);
    const row = document.createElement("li");
    row.role = "option";
    row.id = `found-${at}`;
    row.append(link);
    return row;
  }

  function show(isShown) {
    list.hidden = !isShown;
    input.setAttribute("aria-expanded", String(isShown));
  }

  function mark() {
    for (const [at, row] of [...list.children].entries()) row.setAttribute("aria-selected", String(at === chosen));
    const row = list.children[chosen];
    if (row?.id) input.setAttribute("aria-activedescendant", row.id);
    row?.scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", update);
  input.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      mark();
    } else if (event.key === "Enter") list.children[chosen]?.querySelector("a")?.click();
    else if (event.key === "Escape") show(false);
  });
  list.addEventListener("click", () => show(false));
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) show(false);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea, select");
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
}

/** Every word of the query must occur. A word in the title counts most, at its beginning more than inside. */
function search(entries, query) {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean);
  if (words.length === 0) return [];
  const scored = entries.flatMap((entry) => {
    const score = scoreOf(entry, words);
    return score === 0 ? [] : [{ entry, score }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ entry }) => entry);
}

function scoreOf([title, where, , text], words) {
  const name = title.toLowerCase();
  const path = where.toLowerCase();
  let score = 0;
  for (const word of words) {
    const points = pointsOf(word, name, path, text);
    if (points === 0) return 0;
    score += points;
  }
  return score + 1 / name.length;
}

function pointsOf(word, name, path, text) {
  if (name === word) return 20;
  if (name.startsWith(word)) return 12;
  if (` ${name}`.includes(` ${word}`)) return 10;
  if (name.includes(word)) return 6;
  if (path.includes(word)) return 4;
  return ` ${text}`.includes(` ${word}`) ? 2 : 0;
}
