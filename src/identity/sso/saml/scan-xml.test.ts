import { describe, expect, test } from "vitest";
import { elementsOf, escapeXml, plainXml, scanXml, type XmlCaps } from "./scan-xml.ts";

const caps: XmlCaps = {
  characters: 100_000,
  elements: 10,
  attributesOfElement: 3,
  attributes: 6,
  namespaces: 4,
  depth: 4,
  valueCharacters: 20,
  textCharacters: 20,
  comments: "refused",
};
const refusalOf = (text: string, changes: Partial<XmlCaps> = {}): string => {
  try {
    scanXml(text, { ...caps, ...changes });
    return "";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "";
  }
};
const many = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join("");

describe("the XML scan", () => {
  test("reads elements, attributes in both quotes, and texts, with or without a declaration", () => {
    const root = scanXml(
      `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<a:b xmlns:a = 'urn:x' c="d > e">one<f/>two<g\n>&amp;</g ></a:b>\n`,
      caps,
    );
    expect([root.name, root.localName, root.text, [...root.attributes]]).toEqual([
      "a:b",
      "b",
      "onetwo",
      [
        ["xmlns:a", "urn:x"],
        ["c", "d > e"],
      ],
    ]);
    expect([...elementsOf(root)].map(({ name }) => name)).toEqual(["a:b", "f", "g"]);
    expect(plainXml(root.children[1]?.text ?? "")).toBe("&");
  });

  const tooMuch: [what: string, text: string][] = [
    ["elements", `<r>${"<a/>".repeat(10)}</r>`],
    ["levels deep", `${"<a>".repeat(5)}${"</a>".repeat(5)}`],
    ["has more than 3 attributes", '<r a="" b="" c="" d=""/>'],
    ["holds more than 6 attributes", `<r>${'<a b="" c=""/>'.repeat(4)}</r>`],
    ["namespaces", `<r>${many(5, (index) => `<a xmlns:n${index}="u"/>`)}</r>`],
    ["value is longer", `<r a="${"x".repeat(21)}"/>`],
    ["text of more", `<r>${"x".repeat(21)}</r>`],
    ["text of more", `<r>${"<a/>xxxx".repeat(6)}</r>`],
    ["longer than", `<r>${" ".repeat(100_000)}</r>`],
  ];

  test.each(tooMuch)("refuses a document with too much: %s", (what, text) => {
    expect(refusalOf(text)).toContain(what);
  });

  const notXml = [
    ...[
      "",
      "hello",
      "<",
      "<a",
      "<a>",
      "</a>",
      "<a></b>",
      "<a/><b/>",
      "<a/>x",
      "x<a/>",
      "<a b/>",
      "<a b=c/>",
      '<a b="/>',
    ],
    ...[
      '<a b="" b=""/>',
      '<a b=""c=""/>',
      '<a b="<"/>',
      "<a:/>",
      "<a:b:c/>",
      "<1/>",
      "< a/>",
      "<a / >",
      "<a></a",
      "<:a/>",
    ],
  ];

  test.each(notXml)("refuses a malformed document: %j", (text) => {
    expect(refusalOf(text)).toMatch(/^XmlRefused/);
  });

  test("refuses document types and marked sections always, comments and instructions where a signature counts", () => {
    for (const text of ["<!DOCTYPE a><a/>", "<a><![CDATA[x]]></a>", "<!ELEMENT a><a/>"]) {
      expect(refusalOf(text, { comments: "ignored" })).toContain("document type or a marked section");
    }
    for (const text of ["<a>x<!-- y -->z</a>", "<a>x<?y?>z</a>"]) {
      expect(refusalOf(text)).toContain("comment or an instruction");
      expect(scanXml(text, { ...caps, comments: "ignored" }).text).toBe("xz");
    }
    expect(refusalOf("<a><!-- x</a>", { comments: "ignored" })).toContain("ends in the middle");
  });

  test("decodes the five entities and numbers, and refuses others", () => {
    expect(plainXml("&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x1F600;")).toBe("<>&\"'AB😀");
    for (const text of ["&x;", "&", "&amp", "&#0;", "&#x110000;", "&#99999999;"])
      expect(() => plainXml(text)).toThrow();
    expect(plainXml(escapeXml('a&b<c>"'))).toBe('a&b<c>"');
  });
});
