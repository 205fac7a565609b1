import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RegionContext } from "../../calls/region-context.ts";
import type { Region } from "../../kernel/regions.ts";
import { tokenIn } from "../cookies.ts";
import { openApiDocument } from "../openapi.ts";
import { siteFiles } from "./site-files.ts";

/** Our own scripts, styles and pictures, calls to this server alone, and no markup made by a script. */
const siteHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "referrer-policy": "no-referrer",
};

const openApiPath = "/latest/openapi.json";
const documentationPath = "/latest/documentation";

export interface DocumentationParts {
  context: RegionContext;
  baseUrls: Record<Region, string>;
}

/** Serves OpenAPI and the documentation by GET. Returns the paths. */
export function serveDocumentation(app: FastifyInstance, { context, baseUrls }: DocumentationParts): string[] {
  const { region } = context;
  const baseUrl = baseUrls[region];
  // Generated from the contract, which does not change while the process runs: once, on the first request.
  let document: Buffer | undefined;
  app.get(openApiPath, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(baseUrl, region)));
    return reply.header("content-type", "application/json; charset=utf-8").send(document);
  });
  return [openApiPath, ...serveSite(app, baseUrl, region)];
}

/**
 * The site. The page says whether the browser has a session, so that its script asks for the reader's own ids. One route for
 * all its pages: one for each would take a third of the time in which the framework starts.
 */
function serveSite(app: FastifyInstance, baseUrl: string, region: Region): string[] {
  const files = new Map(Object.entries(siteFiles(baseUrl, region)));
  const serve = (path: string | undefined, request: FastifyRequest, reply: FastifyReply) => {
    const file = path === undefined ? undefined : files.get(path);
    if (!file) return reply.callNotFound();
    const isSignedIn = tokenIn(request.headers.cookie, region) !== null;
    return reply
      .headers({ ...siteHeaders, "content-type": file.type })
      .send(isSignedIn && file.forSignedIn ? file.forSignedIn() : file.content());
  };
  app.get(documentationPath, async (request, reply) => serve("", request, reply));
  // The first page has no second address with a slash at its end.
  app.get<{ Params: { "*": string } }>(`${documentationPath}/*`, async (request, reply) =>
    serve(request.params["*"] || undefined, request, reply),
  );
  return [...files.keys()].map((path) => (path === "" ? documentationPath : `${documentationPath}/${path}`));
}
