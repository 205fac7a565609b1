import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The documents of the repository, and the parts of them that tests look at. */

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Document {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export interface Block {
  path: string;
  language: string;
  code: string;
}

const read = (path: string): Document => ({ path, text: readFileSync(join(root, path), "utf8") });

export const userDocuments: Document[] = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
]
  .filter((path) => path !== "docs/architecture.md")
  .sort()
  .map(read);

export const contributorDocuments: Document[] = ["CONTRIBUTING.md", "docs/architecture.md"].map(read);

const fence = /^ *```(\w*)[^\n]*\n([\s\S]*?)^ *```/gm;

export const blocksOf = ({ path, text }: Document): Block[] =>
  [...text.matchAll(fence)].map(([, language = "", code = ""]) => ({ path, language, code }));

/** The text of a document without its code and the addresses of its links. */
export const prose = (text: string): string =>
  text
    .replace(fence, "")
    .replace(/`[^`\n]+`/g, "")
    .replace(/\]\([^()\s]+\)/g, "]");

/** Links to files of the repository: `[path of the document, file, anchor]`. */
export function linksOf({ path, text }: Document): { file: string; anchor: string }[] {
  return [...text.replace(fence, "").matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, href = ""]) => href)
    .filter((href) => !/^(?:https?|mailto):/.test(href))
    .map((href) => {
      const [file = "", anchor = ""] = href.split("#");
      return { file: file === "" ? path : join(path, "..", file), anchor };
    });
}

/** Addresses of other sites that the documents link to. */
export const externalLinks = (): string[] => {
  const texts = [...userDocuments, ...contributorDocuments].map(({ text }) => text.replace(fence, ""));
  const links = texts.flatMap((text) => [...text.matchAll(/\]\((https?:[^()\s]+)\)/g)].map(([, href = ""]) => href));
  return [...new Set(links)].sort();
};

export const exists = (path: string): boolean => existsSync(join(root, path));
