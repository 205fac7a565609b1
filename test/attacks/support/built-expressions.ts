import { operations } from "../../../src/api/index.ts";
import { consolePaths } from "../../../src/http/console/console-paths.ts";
import { pauseName } from "../../../src/http/pause-metric.ts";
import { mayHoldField } from "../../../src/transport/redact.ts";
import type { Literal } from "./regexp-literals.ts";

/** Regular expressions that are put together while the program runs. `regular-expressions.test.ts` compares this with the source. */
export interface BuiltExpression {
  file: string;
  /** What stands between the brackets of `new RegExp(…)`. */
  written: string;
  /** What it comes to; of many that are alike, some. */
  built: Pick<Literal, "source" | "flags">[];
  /** Of what it is built. */
  of: string;
  /** For one that may take more than linear time: whose text it reads. */
  readsOnly?: string;
}

/** With € for $, which in a text looks like a mistake. */
const code = (text: string): string => text.replaceAll("€", "$");

const [secretWords = "", wholeWords = ""] = mayHoldField.source.split(/\|(?=token\|secret\|pwd$)/);
const components = (...names: string[]): string => `@mantine/core/.*/components/(?:${names.join("|")})/`;
const withFlags = (flags: string, ...sources: string[]) => sources.map((source) => ({ source, flags }));

/** The routes with the most parameters are the worst of them. */
const longest = (paths: string[]): string[] =>
  paths.toSorted((a, b) => b.split(":").length - a.split(":").length || b.length - a.length).slice(0, 2);
const routes = longest([...consolePaths, ...operations.map(({ path }) => path.replace(/\{(\w+)\}/g, ":$1"))]);
const shapes = routes.map((route) => `^${route.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+")}$`);

export const builtExpressions: readonly BuiltExpression[] = [
  {
    file: "src/transport/redact.ts",
    written: code('`€{secretWord}|€{wholeWord}`, "i"'),
    built: [{ source: mayHoldField.source, flags: mayHoldField.flags }],
    of: "fixed words",
  },
  {
    file: "src/transport/redact.ts",
    written: code('`(?:(?<![a-z])(?:€{secretWord})|(?<![a-z0-9_-])(?:€{wholeWord}))`, "gi"'),
    built: withFlags("gi", `(?:(?<![a-z])(?:${secretWords})|(?<![a-z0-9_-])(?:${wholeWords}))`),
    of: "the same words",
  },
  {
    file: "src/http/allowed-methods.ts",
    written: code('`^€{route.replace(/[.*+?^€{}()|[\\]\\\\]/g, "\\\\€&").replace(/:\\w+/g, "[^/]+")}€`'),
    built: withFlags("", ...shapes),
    of: "our own routes, a `[^/]+` for each parameter",
  },
  {
    file: "src/systems/analytics/protocol/endpoints.ts",
    written: code('`^/\\\\w+/properties/\\\\d+(?:/dataStreams/\\\\d+)?/(?:€{numbered.join("|")})/\\\\d+€`'),
    built: withFlags("", "^/\\w+/properties/\\d+(?:/dataStreams/\\d+)?/(?:keyEvents|dataStreams)/\\d+$"),
    of: "words of the vendor's paths",
  },
  {
    file: "src/systems/marketing/protocol/endpoints.ts",
    written: code('`^/rest/asset/v1/(?:€{kinds.join("|")})/\\\\d+/(?:€{verbs})\\\\.json€`'),
    built: withFlags("", "^/rest/asset/v1/(?:email|form)/\\d+/(?:approveDraft|discardDraft)\\.json$"),
    of: "words of the vendor's paths",
  },
  {
    file: "src/cli/doctor/check-server.ts",
    written: code('`^€{pauseName}_worst\\\\{operation="([^"]*)",step="([^"]*)"\\\\} (\\\\S+)€`, "m"'),
    built: withFlags("m", `^${pauseName}_worst\\{operation="([^"]*)",step="([^"]*)"\\} (\\S+)$`),
    of: "a fixed word",
    readsOnly: "the metrics of our own server",
  },
  {
    file: "src/cli/doctor/check-server.ts",
    written: code('`^€{pauseName}_worst_at (\\\\S+)€`, "m"'),
    built: withFlags("m", `^${pauseName}_worst_at (\\S+)$`),
    of: "the same word",
    readsOnly: "the metrics of our own server",
  },
  {
    file: "src/console/build.ts",
    written: code('`@mantine/core/.*/components/(?:€{names.join("|")})/`'),
    built: withFlags("", components("Input", "InputBase", "TextInput", "CloseButton")),
    of: "names of components",
    readsOnly: "paths of this machine, when the console is built",
  },
  {
    file: "src/console/build.ts",
    written: code('`/@floating-ui/|€{of("Combobox", "Popover", "ScrollArea", "Select", "Portal").source}`'),
    built: withFlags("", `/@floating-ui/|${components("Combobox", "Popover", "ScrollArea", "Select", "Portal")}`),
    of: "the one before, and a name",
    readsOnly: "paths of this machine, when the console is built",
  },
  {
    file: "src/console/pages/page-scripts.ts",
    written: code('`^€{path.replace(/\\€\\w+/g, "[^/]+")}/?€`'),
    built: withFlags("", ...longest(consolePaths).map((path) => `^${path.replace(/:\w+/g, "[^/]+")}/?$`)),
    of: "our own pages, a `[^/]+` for each parameter",
  },
  {
    file: "src/console/pages/tools/build/edit-definition.ts",
    written: code('`\\\\bsteps\\\\.€{from}(?![A-Za-z0-9_])`, "g"'),
    built: withFlags("g", "\\bsteps\\.a_step(?![A-Za-z0-9_])", `\\bsteps\\.${"a".repeat(64)}(?![A-Za-z0-9_])`),
    of: "the name of a step, which is letters, digits and _",
  },
];
