/** One language at a time, the same on all pages. */

const key = "signalbox-docs-language";

export function showSamples() {
  for (const samples of document.querySelectorAll(".samples")) {
    const blocks = [...samples.querySelectorAll("figure")];
    const names = blocks.map((block) => block.querySelector("figcaption").textContent);
    const list = document.createElement("div");
    list.className = "tabs";
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Language");
    for (const name of names) {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.textContent = name;
      tab.addEventListener("click", () => {
        const before = tab.getBoundingClientRect().top;
        localStorage.setItem(key, name);
        choose(name);
        // Other samples on the page change their height: what the reader looks at stays where it is.
        scrollBy(0, tab.getBoundingClientRect().top - before);
      });
      list.append(tab);
    }
    samples.prepend(list);
    samples.classList.add("tabbed");
  }
  choose(localStorage.getItem(key) ?? "curl");
}

function choose(name) {
  for (const samples of document.querySelectorAll(".samples")) {
    const blocks = [...samples.querySelectorAll("figure")];
    const nameOf = (block) => block.querySelector("figcaption").textContent;
    const chosen = blocks.find((block) => nameOf(block) === name) ?? blocks[0];
    for (const block of blocks) block.hidden = block !== chosen;
    for (const tab of samples.querySelectorAll(".tabs button")) {
      tab.setAttribute("aria-pressed", String(tab.textContent === nameOf(chosen)));
    }
  }
}
