import type { FastifyInstance } from "fastify";
import type { RegionContext } from "../calls/region-context.ts";
import type { Region } from "../kernel/regions.ts";
import {
  connectGuidePage,
  documentationPage,
  errorsPage,
  guideNames,
  pageStyle,
} from "./documentation/documentation.ts";
import type { Metrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

export interface PageParts {
  context: RegionContext;
  baseUrls: Record<Region, string>;
  metrics: Metrics;
  /** Why the region cannot take calls yet, or null. */
  notReady: () => Promise<string | null>;
}

/** Serves health, readiness, metrics and the reference by GET. Returns the paths. */
export function servePages(app: FastifyInstance, parts: PageParts): string[] {
  const { context, baseUrls, metrics } = parts;
  const baseUrl = baseUrls[context.region];
  const paths: string[] = [];

  const get = (
    url: string,
    answer: () => Promise<{ status?: number; headers: Record<string, string>; body: string }>,
  ) => {
    app.get(url, async (_request, reply) => {
      const { status = 200, headers, body } = await answer();
      return reply.code(status).headers(headers).send(body);
    });
    paths.push(url);
  };
  const json = (value: unknown, status = 200) => ({
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(value),
  });

  get("/healthz", async () => json({ status: "ok", region: context.region }));
  get("/readyz", async () => {
    const reason = await parts.notReady();
    return reason === null
      ? json({ status: "ready", region: context.region })
      : json({ status: "not ready", region: context.region, reason }, 503);
  });
  get("/metrics", async () => {
    const { contentType, text } = await metrics.text();
    return { headers: { "content-type": contentType }, body: text };
  });

  // Both are generated from the contract, which does not change while the process runs: once, on the first request.
  let document: string | undefined;
  let page: string | undefined;
  get("/latest/openapi.json", async () => {
    document ??= JSON.stringify(openApiDocument(baseUrl, context.region));
    return { headers: { "content-type": "application/json; charset=utf-8" }, body: document };
  });
  get("/latest/documentation", async () => {
    page ??= documentationPage(baseUrl, context.region);
    return { headers: pageHeaders, body: page };
  });
  get("/latest/documentation/errors", async () => ({ headers: pageHeaders, body: errorsPage() }));
  for (const name of guideNames) {
    let guide: string | undefined;
    get(`/latest/documentation/connect/${name}`, async () => {
      guide ??= await connectGuidePage(name);
      return { headers: pageHeaders, body: guide };
    });
  }
  get("/latest/documentation/style.css", async () => ({
    headers: { "content-type": "text/css; charset=utf-8" },
    body: pageStyle,
  }));
  return paths;
}
