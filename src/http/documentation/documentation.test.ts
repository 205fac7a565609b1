import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { startApp } from "../../../test/support/app.ts";
import { operations } from "../../api/index.ts";
import { exampleAnswerOf } from "../../api/reference/example-answer.ts";
import { problemsOf } from "../../api/reference/problems.ts";
import { answerSchemaOf, bodySchemaOf, isReserved } from "../../api/reference/schemas.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { connectGuidePage, documentationPage, errorsPage, pageStyle } from "./documentation.ts";
import { fieldsOf } from "./fields.ts";
import { escapeHtml, html } from "./html.ts";
import { anchorOf } from "./parts.ts";

const baseUrl = "http://us.test";
const reference = documentationPage(baseUrl, "us");
const errors = errorsPage();
const codes = Object.keys(problems) as ProblemCode[];
const pages: [name: string, page: string][] = [
  ["reference", reference],
  ["errors", errors],
];

const idsOf = (page: string): string[] => [...page.matchAll(/\bid="([^"]*)"/g)].map((match) => match[1] as string);
const linksOf = (page: string): string[] =>
  [...page.matchAll(/\b(?:href|src)="([^"]*)"/g)].map((match) => match[1] as string);

/** One operation's part of the page. */
function articleOf(id: string): string {
  const start = reference.indexOf(`<article class="operation" id="${id}">`);
  return reference.slice(start, reference.indexOf("</article>", start));
}

describe("the guide to connecting an account", () => {
  test("is the document of the repository, as a page that needs neither scripts nor the internet", async () => {
    const guide = await connectGuidePage("vercel");
    for (const text of ["<h1>Connect Vercel</h1>", "<ol>", "<table", "<pre>", "&lt;TOKEN&gt;"])
      expect(guide).toContain(text);
    expect(guide).not.toMatch(/<script|\*\*|\]\(/);
  });
});

describe("the reference page", () => {
  test.each(operations.map((operation) => [operation.path, operation] as const))(
    "tells all about %s",
    (_, operation) => {
      const article = articleOf(anchorOf(operation)).replaceAll("<wbr>", "");
      expect(article).toContain(escapeHtml(operation.path));
      expect(article).toContain(escapeHtml(operation.summary));
      expect(article).toContain("<dt>Needs</dt>");
      expect(article).toContain(`curl -s `);
      expect(article).toContain(escapeHtml(`${baseUrl}${operation.path.replace(/\{(\w+)\}/g, "<$1>")}`));
      if (operation.audit !== null) expect(article).toContain(`<code>${operation.audit}</code>`);
      for (const code of problemsOf(operation)) expect(article).toContain(`href="documentation/errors#${code}"`);
      for (const { name } of [...fieldsOf(bodySchemaOf(operation)), ...fieldsOf(answerSchemaOf(operation))]) {
        expect(article).toContain(`${name}</code></th>`);
      }
    },
  );

  test("gives every member of every body and answer a meaning", () => {
    const silent = operations.flatMap((operation) =>
      [...fieldsOf(bodySchemaOf(operation)), ...fieldsOf(answerSchemaOf(operation))]
        .filter((field) => !field.schema.description)
        .map((field) => `${operation.path} ${field.prefix}${field.name}`),
    );
    expect(silent).toEqual([]);
  });

  test("shows bodies and answers that pass the contract's own checks", () => {
    for (const operation of operations) {
      // An id on the page is cut short with an ellipsis, which no real one holds.
      const example = JSON.parse(JSON.stringify(operation.example).replaceAll("…", "0"));
      expect(operation.input.safeParse(example).error?.issues, operation.path).toBeUndefined();
      if (isReserved(operation)) continue;
      const answer = operation.output.safeParse(exampleAnswerOf(operation, "us"));
      expect(answer.error?.issues, operation.path).toBeUndefined();
    }
  });

  test("explains every shape of the Authorization header", () => {
    for (const shape of [
      "Bearer <project_id>:<api_key>",
      "Bearer :<api_key>",
      "<project_id>:<api_key>",
      "<project_id>:<api_key>:<region>",
    ]) {
      expect(reference).toContain(`<code>${escapeHtml(shape)}</code>`);
    }
  });

  test("speaks of the region it is served in", () => {
    const australian = documentationPage("http://au.test", "au");
    expect(australian).toContain("prj_au_…");
    expect(australian).not.toContain("_us_");
    expect(australian).not.toContain(baseUrl);
  });
});

describe("the errors page", () => {
  test.each(codes)("has an entry for %s", (code) => {
    const start = errors.indexOf(`<article class="entry" id="${code}">`);
    const article = errors.slice(start, errors.indexOf("</article>", start));
    expect(start).toBeGreaterThan(0);
    expect(article).toContain(`>${problems[code].status}</span>`);
    expect(article.replace(/<[^>]+>/g, "")).toContain(escapeHtml(problems[code].means).replaceAll("`", ""));
    expect(article.replace(/<[^>]+>/g, "")).toContain(escapeHtml(problems[code].remedy).replaceAll("`", ""));
  });

  test("is where the type of a refusal leads", async () => {
    const { call } = await startApp("sqlite");
    const { body } = await call("auth/info", {});
    expect(body.type).toBe("http://us.test/latest/documentation/errors#credentials_missing");
    expect(idsOf(errors)).toContain("credentials_missing");
  });
});

describe.each(pages)("the %s page", (_, page) => {
  test("names each of its urls once, and links only to urls that are there", () => {
    const ids = idsOf(page);
    expect(ids).toEqual([...new Set(ids)]);
    for (const link of linksOf(page)) {
      const [file = "", anchor] = link.split("#");
      if (anchor === undefined || file.startsWith("data:")) continue;
      const target = file === "" ? page : file.endsWith("errors") ? errors : reference;
      expect(idsOf(target), link).toContain(anchor);
    }
  });

  test("holds no script, no inline style and no address outside", () => {
    expect(page).not.toMatch(/<script|<iframe|<object|javascript:|\son\w+=|\sstyle=/i);
    for (const link of linksOf(page)) {
      expect(link).toMatch(
        /^(?:#|data:image\/svg\+xml,|(?:\.\.\/){1,2}$|(?:\.\.\/)?(?:documentation|openapi\.json|errors|style\.css)\b)/,
      );
    }
  });

  test("has escaped every text: no tag that is not ours", () => {
    const tags = new Set([...page.matchAll(/<\/?([^\s>/]+)/g)].map((match) => match[1]));
    const ours =
      "!doctype html head meta title link body a header svg rect circle span nav ul li div main h1 h2 h3 h4 p dl dt dd code time section strong table caption thead tbody tr th td figure figcaption pre article details summary wbr";
    expect([...tags].filter((tag) => !ours.split(" ").includes(tag ?? ""))).toEqual([]);
  });

  test("can be walked by headings and landmarks", () => {
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page.match(/<main /g)).toHaveLength(1);
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('<a class="skip" href="#main">');
    const levels = [...page.matchAll(/<h(\d)>/g)].map((match) => Number(match[1]));
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
  });
});

test("text is always escaped", () => {
  const nasty = `"><script>alert('1')</script>&`;
  expect(html`<p title="${nasty}">${[nasty, null, 1]}</p>`.text).toBe(
    `<p title="${escapeHtml(nasty)}">${escapeHtml(nasty)}1</p>`,
  );
  expect(documentationPage(`http://x${nasty}`, "us")).not.toContain("<script");
});

test("the pages and their style come with a policy that allows nothing else", async () => {
  const { app } = await startApp("sqlite");
  for (const url of ["/latest/documentation", "/latest/documentation/errors"]) {
    const { statusCode, headers } = await app.inject(url);
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toContain("default-src 'none'; style-src 'self'");
    expect(headers["content-security-policy"]).not.toMatch(/script|unsafe|https?:/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
  const style = await app.inject("/latest/documentation/style.css");
  expect(style.headers["content-type"]).toBe("text/css; charset=utf-8");
  expect(style.body).toBe(pageStyle);
  expect(pageStyle).not.toMatch(/url\(|@import|https?:/);
});

test("the written documents say what the program does (npm run docs writes them)", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/write-docs.ts", "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
