import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { operations } from "../../src/api/index.ts";
import { anchorOf, headingsOf } from "../../src/http/documentation/markdown.ts";
import { callerSettings } from "../../src/start/settings/caller-settings.ts";
import { settings } from "../../src/start/settings/settings.ts";
import { blocksOf, contributorDocuments, exists, externalLinks, linksOf, root, userDocuments } from "./documents.ts";

const documents = [...userDocuments, ...contributorDocuments];
const blocks = userDocuments.flatMap(blocksOf);

describe("the documents", () => {
  test("link only to files and headings that are there", () => {
    const anchors = (path: string): string[] => {
      const text = readFileSync(join(root, path), "utf8");
      return [...headingsOf(text, 2), ...headingsOf(text, 3)].map(anchorOf);
    };
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter(({ file, anchor }) => !exists(file) || (anchor !== "" && !anchors(file).includes(anchor)))
        .map(({ file, anchor }) => `${document.path} → ${file}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });

  // `node scripts/check-links.ts` asks for each of them, and writes the day into the list.
  test("link only to addresses that are listed with the day on which they were checked", () => {
    const listed = JSON.parse(readFileSync(join(root, "test/documents/external-links.json"), "utf8"));
    expect(Object.keys(listed)).toEqual(externalLinks());
    expect(externalLinks().filter((address) => !address.startsWith("https://"))).toEqual([]);
    for (const day of Object.values(listed)) expect(day).toMatch(/^\d{4}-\d\d-\d\d$|^not checked yet$/);
  });

  // "The name `signalbox` is not ours on the registry."
  test("show ./signalbox, and never a command that could download a stranger's package", () => {
    const npx = (text: string): boolean => /\bnpx\b/.test(text.replaceAll("`npx signalbox` keeps working", ""));
    const wrong = [
      ...userDocuments.filter(({ text }) => npx(text)),
      ...contributorDocuments.filter(({ text }) => text.includes("npx signalbox")),
    ];
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("name only settings that exist", () => {
    const known = [...Object.values(settings), ...Object.values(callerSettings)].map(({ name }) => name);
    const named = userDocuments.flatMap(({ path, text }) =>
      [...new Set(text.match(/\bSIGNALBOX_[A-Z0-9_]+/g) ?? [])].map((name) => ({ path, name })),
    );
    // A variable of the reader's own, which an example reads.
    const isRead = (name: string) => blocks.some(({ code }) => code.includes(`$${name}`) || code.includes(`"${name}"`));
    const wrong = named.filter(({ name }) => !isSetting(name, known) && !isRead(name));
    expect(wrong).toEqual([]);
  });
});

/** Settings of a region end with its name; a document may name the common part, as `SIGNALBOX_BASE_URL_…`. */
function isSetting(name: string, known: readonly string[]): boolean {
  const common = name.replace(/_?(?:US|EU|AU)?$/, "");
  const generated = readFileSync(join(root, "docs/settings.md"), "utf8");
  return known.includes(name) || generated.includes(`\`${name}`) || generated.includes(`\`${common}_`);
}

describe("the examples", () => {
  test("in JSON and YAML can be read", () => {
    const broken = blocks.flatMap(({ path, language, code }) => {
      try {
        if (language === "json") JSON.parse(code);
        if (language === "yaml") parseYaml(code);
        return [];
      } catch (error) {
        return [`${path}: ${String(error)}\n${code.slice(0, 200)}`];
      }
    });
    expect(broken).toEqual([]);
  });

  // Calls that are executed are checked there too; this also reaches those with placeholders and invented addresses.
  test("call operations that exist, with a body that the operation accepts", () => {
    const calls = blocks.filter(({ language }) => language === "sh").flatMap(({ path, code }) => callsIn(path, code));
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.map(mistakeIn).filter((mistake) => mistake !== null)).toEqual([]);
  });
});

interface Call {
  path: string;
  operation: string;
  body: string;
}

/** `curl …/latest/x -d '{…}'`, and `call x '{…}'` where a document has defined `call`. */
function callsIn(path: string, code: string): Call[] {
  const whole = code.replace(/\\\n\s*/g, " ");
  const curls = [...whole.matchAll(/\/latest\/([a-z][\w/{}<>…$-]*)[^\n]*? -d '((?:[^']|'\$\w+'|'"\$\w+"')*)'/g)];
  const short = [...whole.matchAll(/\bcall "?([a-z][\w/$-]*)"?(?: "[^"]*")? '((?:[^']|'\$\w+'|'"\$\w+"')*)'/g)];
  return [...curls, ...short]
    .map(([, operation = "", body = ""]) => ({ path, operation, body }))
    .filter(({ operation }) => operation.includes("/"));
}

function mistakeIn({ path, operation, body }: Call): string | null {
  const found = operations.find((each) => matches(each.path.slice("/latest/".length), operation));
  if (!found) return `${path}: there is no operation ${operation}`;
  const text = body
    .replace(/'"?\$\w+"?'/g, "value")
    .replace(/<(\w+)>/g, "value")
    .replaceAll("…", "0");
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return `${path}: the body of ${operation} is no JSON: ${text.slice(0, 200)}`;
  }
  const ids = Object.fromEntries([...found.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "value"]));
  const { error } = found.input.safeParse({ ...ids, ...input });
  return error ? `${path}: ${operation}: ${error.issues[0]?.path.join("/")} ${error.issues[0]?.message}` : null;
}

const matches = (template: string, used: string): boolean => {
  const [parts, words] = [template.split("/"), used.split("/")];
  return (
    parts.length === words.length &&
    parts.every(
      (part, index) =>
        part === words[index] ||
        (part.startsWith("{") && !/^[a-z_]+$/.test(words[index] ?? "")) ||
        (part === "{step_id}" && template.endsWith("/run")),
    )
  );
};
