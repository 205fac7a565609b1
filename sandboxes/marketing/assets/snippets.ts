import { textOf } from "../gateway/api-request.ts";
import { invalidValue } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import { type DraftedKind, draftedRoutes } from "./drafted-assets.ts";

const types = ["HTML", "Text", "DynamicContent"];

const snippets: DraftedKind = {
  title: "Snippet",
  word: "snippet",
  mark: "SN",
  table: ({ snippets }) => snippets,
  readContent(request, before) {
    const content = textOf(request, "content");
    const { HTML = "", Text = "" } = before;
    if (content === null) return { HTML, Text };
    const type = textOf(request, "type") ?? "HTML";
    if (!types.includes(type)) throw invalidValue("type", type);
    return { HTML, Text, [type]: content };
  },
  contentRows: (_, content) => Object.entries(content).map(([type, value]) => ({ type, content: value })),
};

export const snippetRoutes: Route[] = draftedRoutes(snippets);
