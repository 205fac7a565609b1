import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("quotes, commas and lines are quoted, and text that a spreadsheet would run as a formula is not run", () => {
  const rows = [
    ['=HYPERLINK("http://evil")', -5],
    ["+1", 0.5],
    ["-1", null],
    ["@sum", "a,b"],
    ["\t=1", 'say "hi"'],
    ["Köln", "two\nlines"],
  ];
  expect(toCsv(["pagePath", "sessions"], rows).split("\r\n")).toEqual([
    "\u{feff}pagePath,sessions",
    `"'=HYPERLINK(""http://evil"")",-5`,
    "'+1,0.5",
    "'-1,",
    `'@sum,"a,b"`,
    `'\t=1,"say ""hi"""`,
    `Köln,"two\nlines"`,
    "",
  ]);
});
