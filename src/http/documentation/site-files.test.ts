import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startApp } from "../../../test/support/app.ts";
import { operations } from "../../api/index.ts";
import { exampleAnswerOf } from "../../api/reference/make-example.ts";
import { answerSchemaOf, bodySchemaOf, isReserved } from "../../api/reference/operation-schemas.ts";
import { changeProblems, commonProblems, problemsOf } from "../../api/reference/problems-of-operation.ts";
import { pathOf } from "../../client/operation-path.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { escapeHtml, html } from "./html.ts";
import { anchorOf, shortPath } from "./page-parts.ts";
import { clientNames, curlOf } from "./reference/call-samples.ts";
import { fieldsOf } from "./reference/field-table.ts";
import { siteFiles } from "./site-files.ts";
import { areaPath, docsFolder, documentOf, guidePaths } from "./site-pages.ts";

const baseUrl = "http://us.test";
const files = siteFiles(baseUrl, "us");
const textOf = (path: string): string => String(files[path]?.content());
const pages = Object.keys(files).filter((path) => files[path]?.type.startsWith("text/html"));
const codes = Object.keys(problems) as ProblemCode[];

const idsOf = (page: string): string[] => [...page.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1] as string);
const linksOf = (page: string): string[] =>
  [...page.matchAll(/\b(?:href|src)="([^"]*)"/g)].map((match) => match[1] as string);

/** The part of a page between an element's opening and its end. */
function articleOf(page: string, opening: string): string {
  const start = page.indexOf(opening);
  return start < 0 ? "" : page.slice(start, page.indexOf("</article>", start));
}

describe("the reference", () => {
  test.each(operations.map((operation) => [operation.path, operation] as const))(
    "describes %s on the page of its area",
    (_, operation) => {
      const article = articleOf(
        textOf(areaPath(operation.area)),
        `<article class="operation" id="${anchorOf(operation)}">`,
      ).replaceAll("<wbr>", "");
      const words = article.replace(/<[^>]+>/g, "");
      expect(article).toContain(escapeHtml(operation.path));
      expect(article).toContain(escapeHtml(operation.summary));
      expect(article).toContain("<dt>Requires</dt>");
      expect(words).toContain(escapeHtml(curlOf(operation, baseUrl)));
      if (operation.audit !== null) expect(article).toContain(`<code>${operation.audit}</code>`);
      const shared: ProblemCode[] = [...commonProblems, ...changeProblems];
      for (const code of problemsOf(operation).filter((each) => !shared.includes(each)))
        expect(article).toContain(`errors#${code}"`);
      const answers = isReserved(operation) ? [] : fieldsOf(answerSchemaOf(operation));
      for (const { name } of [...fieldsOf(bodySchemaOf(operation)), ...answers]) {
        expect(article).toContain(`${name}</code></th>`);
      }
    },
  );

  test("the call in TypeScript names the operation as the client does", () => {
    const wrong = operations.filter(
      (operation) =>
        pathOf(clientNames(operation), operation.path.match(/\{/g)?.length ?? 0) !==
        operation.path.replace(/\{\w+\}/g, "{}"),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("gives every member of every request and response a meaning", () => {
    const silent = operations.flatMap((operation) =>
      [...fieldsOf(bodySchemaOf(operation)), ...fieldsOf(answerSchemaOf(operation))]
        .filter((field) => !field.schema.description)
        .map((field) => `${operation.path} ${field.prefix}${field.name}`),
    );
    expect(silent).toEqual([]);
  });

  test("shows requests and responses that pass the contract's own checks", () => {
    for (const operation of operations) {
      // An id on the page is cut short with an ellipsis, which no real one holds.
      const example = JSON.parse(JSON.stringify(operation.example).replaceAll("…", "0"));
      expect(operation.input.safeParse(example).error?.issues, operation.path).toBeUndefined();
      if (isReserved(operation)) continue;
      const answer = operation.output.safeParse(exampleAnswerOf(operation, "us"));
      expect(answer.error?.issues, operation.path).toBeUndefined();
    }
  });

  // "Samples that could have happened (a queued run has no output)."
  test("shows responses that could have happened", () => {
    const wrong = operations
      .filter((operation) => !isReserved(operation))
      .flatMap((operation) =>
        recordsIn(exampleAnswerOf(operation, "us"))
          .flatMap(contradictionsIn)
          .map((what) => `${operation.path}: ${what}`),
      );
    expect(wrong).toEqual([]);
  });

  test("lists every operation on the first page, and explains every form of the Authorization header", () => {
    for (const operation of operations) expect(textOf("")).toContain(`<code>${escapeHtml(operation.path)}</code>`);
    for (const shape of [
      "Bearer <project_id>:<api_key>",
      "Bearer :<api_key>",
      "<project_id>:<api_key>",
      "<project_id>:<api_key>:<region>",
    ]) {
      expect(textOf("api")).toContain(`<code>${escapeHtml(shape)}</code>`);
    }
  });

  test("shows ids and addresses of the region that serves it", () => {
    const australian = siteFiles("http://au.test", "au");
    for (const path of ["", "api", "reference/projects"]) {
      const page = String(australian[path]?.content());
      expect(page).not.toContain("_us_");
      expect(page).not.toContain(baseUrl);
    }
    expect(String(australian["reference/projects"]?.content())).toContain("prj_au_…");
  });
});

/** Every object in a value. */
function recordsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(recordsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function contradictionsIn(record: Record<string, unknown>): string[] {
  const { status, created_at: from } = record;
  const isOpen = ["queued", "running", "waiting", "outcome_unknown"].includes(String(status));
  const later = ["finished_at", "expires_at", "updated_at", "last_used_at"].filter(
    (name) => isSet(record[name]) && isSet(from) && String(record[name]) < String(from),
  );
  return [
    isOpen && isSet(record.output) ? "an open run has an output" : "",
    isOpen && isSet(record.finished_at) ? "an open run has ended" : "",
    status === "succeeded" && (isSet(record.problem) || isSet(record.waiting_for)) ? "a success has a problem" : "",
    record.active === true && isSet(record.deactivated_at) ? "an active person is deactivated" : "",
    status === "delivered" && !isSet(record.delivered_at) ? "a delivery has no time" : "",
    Object.values(record).includes("…") && !Object.hasOwn(record, "challenge") ? "a value is left open" : "",
    ...later.map((name) => `${name} is before created_at`),
  ].filter(Boolean);
}

describe("the errors page", () => {
  test.each(codes)("has an entry for %s", (code) => {
    const article = articleOf(textOf("errors"), `<article class="entry" id="${code}">`);
    expect(article).toContain(`>${problems[code].status}</span>`);
    expect(article.replace(/<[^>]+>/g, "")).toContain(escapeHtml(problems[code].means).replaceAll("`", ""));
    expect(article.replace(/<[^>]+>/g, "")).toContain(escapeHtml(problems[code].remedy).replaceAll("`", ""));
  });
});

describe("the guides", () => {
  test("are the documents of the repository, and none is left out", () => {
    const documents = readdirSync(docsFolder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.md$/.test(name),
    );
    // The reference shows these two from the same source; the last two are for contributors.
    const others = ["errors.md", "operations.md", "architecture.md", "reference-page.md"];
    const shown = guidePaths.map(documentOf);
    expect(documents.filter((name) => !shown.includes(name) && !others.includes(name))).toEqual([]);
  });

  test("are pages without leftovers of Markdown", () => {
    const guide = textOf("connect/vercel");
    for (const text of ["<h1>Connect Vercel</h1>", "<ol>", "<table", "<pre>", "&lt;TOKEN&gt;"])
      expect(guide).toContain(text);
    for (const path of guidePaths) {
      const words = textOf(path).replace(/<(pre|code)[\s\S]*?<\/\1>/g, "");
      expect(words.match(/\*\*|\]\(|^#+ |```/gm), path).toBeNull();
    }
  });
});

describe("every page", () => {
  // "A page per area instead of 275,000 pixels in one, under 300 kB", with its style and scripts.
  test("stays under 300 kB with all that it loads", () => {
    const beside = ["style.css", "script.js", "search.js", "samples.js", "own-ids.js"].map(
      (name) => textOf(name).length,
    );
    const bytes = beside.reduce((sum, each) => sum + each, 0);
    expect(pages.filter((path) => Buffer.byteLength(textOf(path)) + bytes > 300_000)).toEqual([]);
    expect(textOf("search.json").length).toBeLessThan(300_000);
  });

  test("shows no value that is not text", () => {
    expect(pages.filter((path) => /\[object Object\]|>undefined<|\bNaN\b/.test(textOf(path)))).toEqual([]);
  });

  test("links only to pages and anchors that are there, and names each anchor once", () => {
    const served = new Map(Object.keys(files).map((path) => [`/latest/documentation${path && `/${path}`}`, path]));
    const others = ["/", "/latest/openapi.json", "/sign-in/script/scheme.js"];
    const anchors = new Map(pages.map((path) => [path, new Set(idsOf(textOf(path)))]));
    const broken: string[] = [];
    for (const path of pages) {
      const ids = idsOf(textOf(path));
      if (ids.length !== new Set(ids).size) broken.push(`${path} names an anchor twice`);
      for (const link of linksOf(textOf(path))) {
        if (/^(?:data:image\/svg|https?:)/.test(link)) continue;
        const url = new URL(link.replaceAll("&amp;", "&"), `http://us.test/latest/documentation${path && `/${path}`}`);
        const target = served.get(url.pathname);
        const isThere = target === undefined ? others.includes(url.pathname) : true;
        const anchor = decodeURIComponent(url.hash.slice(1));
        const isNamed = anchor === "" || (anchors.get(target ?? "")?.has(anchor) ?? false);
        if (!isThere || !isNamed) broken.push(`${path} → ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("finds through the search only what is there", () => {
    const entries = JSON.parse(textOf("search.json")) as [string, string, string, string][];
    const missing = entries.filter(([, , url]) => {
      const [path = "", anchor] = url.split("#");
      return !pages.includes(path) || (anchor !== undefined && !idsOf(textOf(path)).includes(anchor));
    });
    expect(missing).toEqual([]);
    for (const operation of operations)
      expect(entries.some(([, where]) => where.endsWith(` ${shortPath(operation)}`))).toBe(true);
  });

  test("holds no inline script or style, and no picture or script from elsewhere", () => {
    for (const path of pages) {
      const page = textOf(path);
      expect(page, path).not.toMatch(
        /<script(?! (?:type="module" )?src=)|<iframe|<object|javascript:|\son\w+=|\sstyle=/i,
      );
      for (const [, source] of page.matchAll(/\bsrc="([^"]*)"/g))
        expect(source, path).not.toMatch(/^(?:https?:|\/\/|\/)/);
    }
  });

  test("has escaped every text: no tag that is not ours", () => {
    const ours =
      "!doctype html head meta title link script body a header search input label svg rect circle span nav ul ol li div main h1 h2 h3 h4 p dl dt dd code em time section strong table caption thead tbody tr th td figure figcaption pre article wbr img blockquote";
    for (const path of pages) {
      const tags = new Set([...textOf(path).matchAll(/<\/?([^\s>/]+)/g)].map((match) => match[1]));
      expect(
        [...tags].filter((tag) => !ours.split(" ").includes(tag ?? "")),
        path,
      ).toEqual([]);
    }
  });

  test("can be walked by headings and landmarks", () => {
    for (const path of pages) {
      const page = textOf(path);
      expect(page.match(/<h1>/g), path).toHaveLength(1);
      expect(page.match(/<main /g), path).toHaveLength(1);
      expect(page).toContain('<html lang="en">');
      expect(page).toContain('<a class="skip" href="#main">');
      const levels = [...page.matchAll(/<h(\d)\b/g)].map((match) => Number(match[1]));
      for (const [index, level] of levels.entries())
        expect(level, path).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    }
  });
});

test("text is always escaped", () => {
  const nasty = `"><script>alert('1')</script>&`;
  expect(html`<p title="${nasty}">${[nasty, null, 1]}</p>`.text).toBe(
    `<p title="${escapeHtml(nasty)}">${escapeHtml(nasty)}1</p>`,
  );
  expect(String(siteFiles(`http://x${nasty}`, "us")[""]?.content())).not.toContain("<script>alert");
});

test("the site is served with a policy that allows our own scripts and styles alone", async () => {
  const { app, call } = await startApp("sqlite");
  for (const path of ["", "errors", "reference/runs", "quickstart", "style.css", "script.js", "search.json"]) {
    const { statusCode, headers, body } = await app.inject(`/latest/documentation${path && `/${path}`}`);
    expect([path, statusCode]).toEqual([path, 200]);
    expect(headers["content-type"]).toBe(files[path]?.type);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(body).not.toContain("data-signed-in>");
  }
  const cookie = `__Host-sb_session_us=${"a".repeat(43)}`;
  expect((await app.inject({ url: "/latest/documentation/api", headers: { cookie } })).body).toContain(
    "data-signed-in>",
  );
  const { body } = await call("auth/info", {});
  expect(body.type).toBe("http://us.test/latest/documentation/errors#credentials_missing");
});

test("the written documents say what the program does (npm run docs writes them)", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/write-docs.ts", "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
