import { readFile } from "node:fs/promises";
import { systems } from "../../systems/index.ts";
import { page } from "./frame.ts";
import { html } from "./html.ts";
import { renderMarkdown } from "./markdown.ts";
import { heading, type PageUrls } from "./parts.ts";

/** How an account of each system is connected: `docs/connect/*.md` in the look of the reference, without the internet. */

const folder = new URL("../../../docs/connect/", import.meta.url);

const urls: PageUrls = {
  home: "../../../",
  reference: "../../documentation",
  errors: "../errors",
  style: "../style.css",
  openapi: "../../openapi.json",
};

/** The names of all guides. */
export const guideNames = systems.flatMap(({ guide }) => guide ?? []);

const missing =
  "# No guide here\n\nThis installation does not contain the guide. The reference names the credentials.\n";

export async function connectGuidePage(name: string): Promise<string> {
  const text = await readFile(new URL(`${name}.md`, folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return missing;
    throw error;
  });
  const { title, opening, parts } = renderMarkdown(text);
  const groups = parts.map((part) => ({ title: part.title, anchor: part.anchor, links: [] }));
  return page({ title: `${title} · Signalbox`, here: "guide", urls, groups }, [
    html`<div class="hero"><h1>${title}</h1>${opening}</div>`,
    parts.map(
      (part) => html`
<section class="part" id="${part.anchor}" aria-label="${part.title}">
${heading(2, part.anchor, part.title)}
<div class="words">${part.body}</div>
</section>`,
    ),
  ]);
}
