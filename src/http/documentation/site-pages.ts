import { existsSync } from "node:fs";
import { operations } from "../../api/index.ts";
import { areas } from "../../api/reference/area-titles.ts";
import type { Area } from "../../calls/define-operation.ts";
import { guidePathOf } from "../../systems/define.ts";
import { steps, systems } from "../../systems/index.ts";

/** The pages of the site, in the order of the sidebar. A guide is a Markdown document of `docs/`. */

export interface SitePage {
  /** Below `/latest/documentation/`; empty for the first page. */
  path: string;
  title: string;
}

export interface SiteGroup {
  title: string;
  pages: SitePage[];
}

export const docsFolder = new URL("../../../docs/", import.meta.url);

/** The document of a guide: `steps` is `docs/steps/README.md`. */
export const documentOf = (path: string): string => (path === "steps" ? "steps/README.md" : `${path}.md`);

const allGuides: [group: string, pages: [path: string, title: string][]][] = [
  [
    "Get started",
    [
      ["concepts", "Concepts"],
      ["quickstart", "Quickstart"],
    ],
  ],
  [
    "Connect your accounts",
    [
      ...systems.flatMap(({ guide }): [string, string][] =>
        guide ? [[guidePathOf({ guide }) ?? "", guide.title]] : [],
      ),
      ["consent", "The sign-in window"],
    ],
  ],
  [
    "Build",
    [
      ["build-a-tool", "Build a tool"],
      ["tools", "Tools in detail"],
      ["agents-and-webhooks", "Agents and webhooks"],
      ["agents", "Agents in detail"],
      ["events", "Events"],
      ["limits", "Rate limits and quotas"],
      ["sizes", "Size limits"],
      ["lost-answers", "Lost responses"],
      ["sandboxes", "Sandboxes"],
    ],
  ],
  ["Steps", [["steps", "All steps"], ...steps.map(({ id, title }): [string, string] => [`steps/${id}`, title])]],
  [
    "Interfaces",
    [
      ["cli", "Command line"],
      ["client", "TypeScript client"],
      ["mcp", "MCP"],
    ],
  ],
  [
    "People",
    [
      ["manage-people", "Manage people"],
      ["sign-in", "Sign-in"],
      ["single-sign-on", "Single sign-on"],
      ["scim", "SCIM"],
    ],
  ],
  [
    "Operate",
    [
      ["production", "Production"],
      ["settings", "Settings"],
      ["monitoring", "Monitoring"],
      ["scale", "Scale"],
      ["reliability", "Reliability"],
      ["restoring", "Restore a backup"],
      ["retention", "Retention and legal hold"],
      ["addresses", "Outgoing addresses"],
      ["security", "Security model"],
    ],
  ],
  [
    "Help",
    [
      ["troubleshooting", "Troubleshooting and FAQ"],
      ["compared", "Compared with others"],
      ["changelog", "Changelog and versions"],
    ],
  ],
];

/** An installation may lack a document: then nothing leads to it. */
const isThere = (path: string): boolean => existsSync(new URL(documentOf(path), docsFolder));

export const guideGroups: SiteGroup[] = allGuides
  .map(([title, pages]) => ({
    title,
    pages: pages.filter(([path]) => isThere(path)).map(([path, pageTitle]) => ({ path, title: pageTitle })),
  }))
  .filter(({ pages }) => pages.length > 0);

export const guidePaths: string[] = guideGroups.flatMap(({ pages }) => pages.map(({ path }) => path));

/** Every area that has operations, in their order. */
export const areaNames: Area[] = [...new Set(operations.map(({ area }) => area))];
export const areaPath = (area: Area): string => `reference/${area.replaceAll("_", "-")}`;

export const referenceGroup: SiteGroup = {
  title: "API reference",
  pages: [
    { path: "api", title: "Use the API" },
    ...areaNames.map((area) => ({ path: areaPath(area), title: areas[area].title })),
    { path: "errors", title: "Errors" },
  ],
};

export const siteGroups: SiteGroup[] = [...guideGroups, referenceGroup];

/** Links between the pages: relative, so that a proxy may serve them under a path. */
export interface Links {
  /** A page of the site. */
  page(path: string): string;
  /** A path of the server, such as `latest/openapi.json`. */
  server(path: string): string;
}

export function linksFrom(path: string): Links {
  const depth = path === "" ? 0 : path.split("/").length;
  return {
    page: (target) => {
      if (target === "") return depth === 0 ? "documentation" : `${"../".repeat(depth)}documentation`;
      return `${depth === 0 ? "documentation/" : "../".repeat(depth - 1)}${target}`;
    },
    server: (target) => `${"../".repeat(depth + 1)}${target}`,
  };
}
