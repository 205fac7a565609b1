import { readFileSync } from "node:fs";
import { Html } from "../documentation/html.ts";

/** What all pages of the server share. The console takes the same tokens, and draws the same mark in `Brand.tsx`. */

const here = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** Tokens first, then the rules that use them; a page's own style sheet follows. */
export const sharedStyle = `${here("tokens.css")}${here("base.css")}`;

/** A colour-light signal with three lamps. */
const drawing = (ground: string, lamp: string): string =>
  `<rect x="7" y="1.5" width="10" height="21" rx="5" fill="${ground}"/><circle cx="12" cy="7" r="2.4" fill="${lamp}"/><circle cx="12" cy="12" r="2.4" fill="${lamp}" opacity=".55"/><circle cx="12" cy="17" r="2.4" fill="${lamp}" opacity=".3"/>`;

/** An icon cannot use tokens. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${drawing("#0e625b", "#fff")}</svg>`;
export const iconLink = new Html(`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`);

export const mark = new Html(
  `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">${drawing("var(--accent)", "var(--on-accent)")}</svg>`,
);
