import { fillOwnIds } from "./own-ids.js";
import { showSamples } from "./samples.js";
import { startSearch } from "./search.js";

/** What the documentation does in the browser. Every page can be read without it. */

keepSidebar();
followSections();
showSamples();
addCopyButtons();
startSearch();
fillOwnIds();

/** The sidebar keeps its position from page to page, and shows the current page. */
function keepSidebar() {
  const side = document.querySelector(".side");
  const key = "signalbox-docs-sidebar";
  side.scrollTop = Number(sessionStorage.getItem(key) ?? 0);
  const current = side.querySelector("[aria-current]");
  if (current) {
    const { top, bottom } = current.getBoundingClientRect();
    const frame = side.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) current.scrollIntoView({ block: "center" });
  }
  addEventListener("pagehide", () => sessionStorage.setItem(key, String(side.scrollTop)));
}

/** Marks the section that is being read. */
function followSections() {
  const links = [...document.querySelectorAll(".side .sections a")];
  const targets = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  if (links.length === 0) return;
  const mark = () => {
    const line = innerHeight / 4;
    let index = targets.findLastIndex((target) => target && target.getBoundingClientRect().top <= line);
    if (index < 0) index = 0;
    for (const [at, link] of links.entries()) link.classList.toggle("read", at === index);
    const side = document.querySelector(".side");
    const read = links[index].getBoundingClientRect();
    const frame = side.getBoundingClientRect();
    if (read.bottom > frame.bottom) side.scrollTop += read.bottom - frame.bottom + 40;
    else if (read.top < frame.top) side.scrollTop -= frame.top - read.top + 40;
  };
  let isDue = false;
  addEventListener(
    "scroll",
    () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

/** Every block can be copied, with the reader's own ids where they are filled in. */
function addCopyButtons() {
  for (const block of document.querySelectorAll("figure.block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${block.querySelector("figcaption").textContent}`);
    button.addEventListener("click", async () => {
      button.textContent = (await copy(block.querySelector("code"))) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    block.append(button);
  }
}

/** Without https a browser has no clipboard for pages: then the text is selected, ready to copy. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
