import { operations } from "../../api/index.ts";
import { areas } from "../../api/reference/area-titles.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { textOfGuide } from "./guides.ts";
import { anchorOf as headingAnchor, plainText } from "./markdown.ts";
import { anchorOf, shortPath } from "./page-parts.ts";
import { apiSections } from "./reference/api-page.ts";
import { areaNames, areaPath, guideGroups } from "./site-pages.ts";

/** What the search looks through: `[title, where it is, address below the site, its words]`. */
export type SearchEntry = [title: string, where: string, url: string, words: string];

export const searchIndex = (): SearchEntry[] => [
  ...guideGroups.flatMap(({ title, pages }) => pages.flatMap((each) => guideEntries(each.path, each.title, title))),
  ...apiSections.map(({ anchor, title }): SearchEntry => [title, "Use the API", `api#${anchor}`, ""]),
  ...areaNames.map(
    (area): SearchEntry => [areas[area].title, "API reference", areaPath(area), wordsOf(areas[area].opening)],
  ),
  ...operations.map((operation): SearchEntry => {
    const { title } = areas[operation.area];
    const url = `${areaPath(operation.area)}#${anchorOf(operation)}`;
    return [operation.summary, `${title} · ${shortPath(operation)}`, url, wordsOf(operation.description ?? "")];
  }),
  ...(Object.keys(problems) as ProblemCode[]).map(
    (code): SearchEntry => [
      code,
      "Error",
      `errors#${code}`,
      wordsOf(`${problems[code].means} ${problems[code].remedy}`),
    ],
  ),
];

/** The page, and each of its sections. */
function guideEntries(path: string, title: string, group: string): SearchEntry[] {
  const [opening = "", ...sections] = withoutFences(textOfGuide(path)).split(/^##+ /m);
  return [
    [title, group, path, wordsOf(opening)],
    ...sections.map((section): SearchEntry => {
      const end = section.indexOf("\n");
      const name = end < 0 ? section : section.slice(0, end);
      return [plainText(name.trim()), title, `${path}#${headingAnchor(name.trim())}`, wordsOf(section.slice(end))];
    }),
  ];
}

/** A `#` in a shell block is a comment, not a heading. */
const withoutFences = (text: string): string =>
  text
    .split("```")
    .map((part, index) => (index % 2 === 1 ? part.replace(/^#/gm, " #") : part))
    .join("\n");

const commonWords = new Set(
  "the and for are its that this with from not has have was were can may which their they them who what when where all one each such into only also than then but you your".split(
    " ",
  ),
);

/** Each word once: the search asks whether a word occurs, not where. */
const wordsOf = (text: string): string =>
  [
    ...new Set(
      plainText(text)
        .toLowerCase()
        .match(/[\p{L}\p{N}_]{3,40}/gu) ?? [],
    ),
  ]
    .filter((word) => !commonWords.has(word))
    .join(" ");
