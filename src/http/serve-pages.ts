import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RegionContext } from "../calls/region-context.ts";
import type { Region } from "../kernel/regions.ts";
import { tokenIn } from "./cookies.ts";
import { siteFiles } from "./documentation/documentation.ts";
import type { Metrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";

/** Our own scripts, styles and pictures, calls to this server alone, and no markup made by a script. */
const siteHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
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

  // Generated from the contract, which does not change while the process runs: once, on the first request.
  let document: string | undefined;
  get("/latest/openapi.json", async () => {
    document ??= JSON.stringify(openApiDocument(baseUrl, context.region));
    return { headers: { "content-type": "application/json; charset=utf-8" }, body: document };
  });
  paths.push(...serveDocumentation(app, baseUrl, context.region));
  return paths;
}

const documentationPath = "/latest/documentation";

/**
 * The documentation. The page says whether the browser has a session, so that its script asks for the reader's own ids. One route for
 * all its pages: one for each would take a third of the time in which the framework starts.
 */
function serveDocumentation(app: FastifyInstance, baseUrl: string, region: Region): string[] {
  const files = new Map(Object.entries(siteFiles(baseUrl, region)));
  const serve = (path: string | undefined, request: FastifyRequest, reply: FastifyReply) => {
    const file = path === undefined ? undefined : files.get(path);
    if (!file) return reply.callNotFound();
    const content = file.content();
    const isForReader = typeof content === "string" && tokenIn(request.headers.cookie, region) !== null;
    return reply
      .headers({ ...siteHeaders, "content-type": file.type })
      .send(isForReader ? content.replace('<html lang="en">', '<html lang="en" data-signed-in>') : content);
  };
  app.get(documentationPath, async (request, reply) => serve("", request, reply));
  // The first page has no second address with a slash at its end.
  app.get<{ Params: { "*": string } }>(`${documentationPath}/*`, async (request, reply) =>
    serve(request.params["*"] || undefined, request, reply),
  );
  return [...files.keys()].map((path) => (path === "" ? documentationPath : `${documentationPath}/${path}`));
}
