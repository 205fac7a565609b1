import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { contentOf } from "../../src/access/mails/mail-texts.ts";
import { sections } from "../../src/cli/commands.ts";
import { widthOfText } from "../../src/cli/terminal/fit-text.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { problems } from "../../src/kernel/problem.ts";
import { stepProblems } from "../../src/systems/step-problems.ts";
import { nodesIn } from "../attacks/support/syntax-tree.ts";
import { commandLine } from "../support/processes/command-line.ts";
import { isTest, sourcesIn } from "../support/source/source-files.ts";
import { prose, userDocuments } from "./documents.ts";

// "No house words (door, room, face, place, mend, unless told, whoever) outside the pages for contributors. 'Answers' is not a verb
// with an object."
const houseWords =
  /\b(?:doors?|rooms?|faces?|mend(?:s|ed|ing)?|unless told|whoever|errands?|desks?|goes? dark|places?|answer(?:s|ed|ing)?)\b/gi;

/** Words of the field, and names of things that keep theirs. */
const allowed = /\bin place\b|\btakes? place\b|lost-answers|Answer refused|Idempotency answer gone|issuer in answers/gi;

const found = (where: string, text: string): string[] =>
  [...text.replace(allowed, "").matchAll(houseWords)].map(
    ({ 0: word, index, input }) => `${where}: ${word} in "…${input.slice(Math.max(0, index - 40), index + 40)}…"`,
  );

describe("plain English", () => {
  test("no house word stands in the documents for users", () => {
    expect(userDocuments.flatMap(({ path, text }) => found(path, prose(text)))).toEqual([]);
  });

  test("no house word stands in a problem's sentence, remedy or title", () => {
    const all = [...Object.entries(problems), ...Object.entries(stepProblems)];
    expect(
      all.flatMap(([code, problem]) =>
        found(code, [problem.means, problem.remedy, "title" in problem ? problem.title : ""].join("\n")),
      ),
    ).toEqual([]);
  });

  test("no house word stands in a description or summary of the API", () => {
    expect(textsIn(openApiDocument("http://us.test")).flatMap((text) => found("OpenAPI", text))).toEqual([]);
  });

  // Error texts, warnings, lines of the log, the console: every text of several words in the source, SQL aside.
  test("no house word stands in a sentence of the program", () => {
    const wrongIn = (path: string, text: string) =>
      sentencesIn(path, text).flatMap((sentence) => found(path, sentence));
    const sample = "fail(`It answered nothing`, <p>No answer came.</p>, 'update a set answer = $1');";
    expect(wrongIn("a.tsx", sample)).toHaveLength(2);
    const sources = sourcesIn("src").filter((source) => !isTest(source) && found("", source.code).length > 0);
    expect(sources.flatMap(({ path, text }) => wrongIn(path, text))).toEqual([]);
  });

  test("no house word stands in a mail", () => {
    const details = {
      invite_code: "inv_us_1",
      project_id: "prj_us_1",
      project: "Shop",
      invited_by: "a@example.com",
      expires_at: "2026-11-22T09:30:00.000Z",
      accepted: false,
      token: "t",
      organization: "Ada & Co",
      code: "12345678",
      at: "2026-11-15T09:30:00.000Z",
    };
    const kinds = ["invite", "password_reset", "sign_up_code", "password_changed"];
    const mails = [
      ...kinds.map((kind) => contentOf({ kind, details }, "http://us.test")),
      contentOf({ kind: "invite", details: { ...details, accepted: true } }, "http://us.test"),
    ];
    expect(mails.flatMap(({ subject, text }) => found(subject, `${subject}\n${text}`))).toEqual([]);
  });
});

test("the help of every command fits 80 columns, and has no house word", async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const words of await everyCommand()) {
    const { code, stdout } = await commandLine([...words, "--help"]);
    if (code !== 0) wrong.push(`${words.join(" ")}: exit code ${code}`);
    wrong.push(...found(words.join(" "), stdout), ...stdout.split("\n").filter((line) => widthOfText(line) > 80));
    count++;
  }
  expect(count).toBeGreaterThan(150);
  expect(wrong).toEqual([]);
});

type TextNode =
  | { type: "Literal" | "JSXText"; value: unknown }
  | { type: "TemplateLiteral"; quasis: { value: { cooked: string } }[] };

const isText = (node: object): node is TextNode =>
  "type" in node && ["Literal", "TemplateLiteral", "JSXText"].includes(String(node.type));

const isSql = (text: string): boolean =>
  /\b(?:select|insert|update|delete|where|set)\b.*(?:\$\d|=|\bfrom\b)/s.test(text);

/** Texts of three words and more; a value that is filled in counts as one. */
const sentencesIn = (path: string, text: string): string[] =>
  nodesIn(path, text, isText)
    .map((node) => ("quasis" in node ? node.quasis.map(({ value }) => value.cooked).join("…") : String(node.value)))
    .filter((sentence) => /\S\s+\S+\s+\S/.test(sentence) && !isSql(sentence));

async function everyCommand(): Promise<string[][]> {
  const within = (command: Command, words: string[]): string[][] => [
    words,
    ...command.commands.flatMap((each) => within(each, [...words, each.name()])),
  ];
  const entries = sections.flatMap(({ commands }) => commands);
  const loaded = await Promise.all(entries.map(async ({ name, load }) => within(await load(), [name])));
  return [[], ...loaded.flat()];
}

/** Every description and summary of a document. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    (name === "description" || name === "summary") && typeof inner === "string" ? [inner] : textsIn(inner),
  );
}
