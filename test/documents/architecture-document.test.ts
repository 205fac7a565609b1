import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { line } from "../support/source/rooms.ts";
import { contributorDocuments, exists, root } from "./documents.ts";

const { text } = contributorDocuments.find(({ path }) => path === "docs/architecture.md") ?? { text: "" };

const sectionOf = (title: string): string => text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rowsIn = (section: string): string[][] =>
  section
    .split("\n")
    .filter((row) => row.startsWith("| "))
    .slice(1)
    .map((row) => row.split("|").map((cell) => cell.trim()));
const spansIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);

const rooms = line.flat();

describe("docs/architecture.md", () => {
  test("has at most 2,500 words, and sentences of at most 20 on average", () => {
    const words = (sentence: string): number => sentence.split(/\s+/).filter(Boolean).length;
    expect(words(text)).toBeLessThanOrEqual(2_500);
    const paragraphs = text
      .replace(/^```[\s\S]*?^```/gm, "")
      .split("\n")
      .filter((row) => !/^[|#]/.test(row))
      .join("\n")
      .split(/\n\s*\n|\n(?=\s*(?:-|\d+\.) )/);
    const lengths = paragraphs.flatMap((paragraph) => paragraph.split(/(?<=[.!?])\s+/).map(words)).filter((n) => n > 1);
    expect(lengths.length).toBeGreaterThan(80);
    expect(lengths.reduce((sum, each) => sum + each, 0) / lengths.length).toBeLessThanOrEqual(20);
  });

  test("shows every room in the picture, in the table and in the line of imports", () => {
    const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...folders.map(({ name }) => name), "main"].sort()).toEqual([...rooms].sort());
    const picture = sectionOf("The picture");
    expect(rooms.filter((room) => !new RegExp(`\\b${room}\\b`).test(picture))).toEqual([]);
    const table = rowsIn(sectionOf("The rooms")).flatMap(([, room = ""]) => spansIn(room));
    expect(table.map((path) => path.replace(/^src\/|\.ts$/g, "")).sort()).toEqual([...rooms, "sandboxes"].sort());
    const [, drawn = ""] = /```\n([\s\S]*?)```/.exec(sectionOf("Who may import whom")) ?? [];
    const steps = drawn.split("·").map((step) => step.trim().split(/\s+/).filter(Boolean));
    expect(steps.filter((step) => step.length > 0)).toEqual(line);
  });

  test("names files to begin with that are there", () => {
    const named = rowsIn(sectionOf("The rooms")).flatMap(([, room = "", , files = ""]) => {
      const folders = spansIn(room).filter((path) => !path.endsWith(".ts"));
      return spansIn(files).map((file) => [...folders, "src"].map((folder) => `${folder}/${file}`));
    });
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((paths) => !paths.some(exists))).toEqual([]);
  });

  test("explains at most forty words, each once, in the order of the alphabet", () => {
    const words = rowsIn(sectionOf("Glossary")).map(([, word = ""]) => word);
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(40);
    expect(words).toEqual([...new Set(words)].sort());
  });
});

test("src/README.md lists the rooms in the order of the line", () => {
  const listed = rowsIn(readFileSync(join(root, "src/README.md"), "utf8")).flatMap(([, room = ""]) => spansIn(room));
  expect(listed.map((name) => name.replace(/\/$|\.ts$/g, ""))).toEqual(rooms);
});
