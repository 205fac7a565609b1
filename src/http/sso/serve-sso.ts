import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hashOfToken } from "../../access/callers/sessions.ts";
import type { RegionContext } from "../../calls/region-context.ts";
import type { SsoCaller, SsoOutcome } from "../../identity/sso/sso.ts";
import type { Log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { sessionCookie, tokenIn } from "../cookies.ts";
import type { Edge } from "../edge/edge.ts";
import { asProblem, headersOf } from "../problem-response.ts";
import { logCause } from "../respond.ts";
import { ownPath } from "../sign-in/script/own-path.js";
import { browserCookie, browserIn } from "./browser-cookie.ts";
import { refusalPage } from "./refusal-page.ts";

/** Signed assertions with many groups are long; nothing legitimate comes near this. */
const formBytesMax = 512 * 1024;
const accountPath = "/account";
/** A refused assertion has cost a worker up to half a second, so it counts as this many more calls of its sender. */
const callsOfRefused = 5;

/**
 * Serves the paths under /sso/, from which users are redirected to their provider and to which they return. Returns
 * each path with its methods.
 */
export function serveSso(
  app: FastifyInstance,
  { context, log, edge }: { context: RegionContext; log: Log; edge: Edge },
): [url: string, methods: string[]][] {
  const { region, rooms } = context;
  const { sso, limits, pages } = rooms;

  /** Only GET: a state works once, and a HEAD request must not use it up. */
  const get = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    app.get(url, { exposeHeadRoute: false }, (request, reply) =>
      withRefusalPage(request, reply, () => answer(request, reply)),
    );

  async function withRefusalPage(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      await limits.admit(["sign_in"], request.ip);
      return await work();
    } catch (error) {
      const problem = asProblem(error);
      logCause(log, request.id, "sso", problem);
      const { headers, body } = refusalPage(region, problem, request.id);
      return reply
        .code(problem.status)
        .headers({ ...headers, ...headersOf(problem) })
        .send(body);
    }
  }

  /** An exhausted limit affects only the next call: this one reports why it was refused. */
  async function countRefused(ip: string): Promise<void> {
    try {
      // Together, they are one statement where nodes share the count.
      await Promise.all(Array.from({ length: callsOfRefused }, async () => limits.admit(["sign_in"], ip)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  const callerOf = (request: FastifyRequest): SsoCaller => {
    const { cookie, "user-agent": userAgent = "" } = request.headers;
    const token = tokenIn(cookie, region);
    return {
      ip: request.ip,
      userAgent,
      requestId: request.id,
      browser: browserIn(cookie, region),
      sessionHash: token === null ? null : hashOfToken(token),
    };
  };

  function finishSignIn(reply: FastifyReply, end: SsoOutcome): FastifyReply {
    if (end.token !== null) reply.header("set-cookie", sessionCookie(region, end.token));
    const standard = app.hasRoute({ method: "GET", url: accountPath }) ? accountPath : "/";
    return reply
      .code(303)
      .headers(redirectTo(end.nextPath ?? standard))
      .send("");
  }

  get("/sso/start", async (request, reply) => {
    const elsewhere = otherName(request, pages);
    if (elsewhere !== null) return reply.code(302).headers(redirectTo(elsewhere)).send("");
    const query = queryOf(request);
    const wish = {
      providerId: idIn(query.get("provider")),
      email: query.get("email"),
      confirm: query.get("confirm") === "1",
      nextPath: safePath(query.get("next"), pages.url),
    };
    const { location, browser } = await sso.begin(wish, callerOf(request));
    reply.header("set-cookie", browserCookie(region, browser));
    return reply.code(302).headers(redirectTo(location)).send("");
  });

  get("/sso/oidc/callback", async (request, reply) =>
    finishSignIn(reply, await sso.finishOidc(queryOf(request), callerOf(request))),
  );

  get("/sso/saml/:provider_id/finish", async (request, reply) =>
    finishSignIn(
      reply,
      await sso.finishSaml(providerIn(request), queryOf(request).get("state") ?? "", callerOf(request)),
    ),
  );

  get("/sso/saml/:provider_id/metadata", async (request, reply) => {
    const xml = await sso.metadataFor(providerIn(request));
    return reply.type("application/samlmetadata+xml; charset=utf-8").send(xml);
  });

  app.register(async (forms) => {
    forms.removeAllContentTypeParsers();
    const asText = { parseAs: "string", bodyLimit: formBytesMax } as const;
    forms.addContentTypeParser("application/x-www-form-urlencoded", asText, (_request, body, done) => done(null, body));
    forms.addContentTypeParser("*", (_request, _payload, done) => done(new Problem("unsupported_media_type")));
    reserveForms(forms, edge);
    forms.setErrorHandler((error, request, reply) => withRefusalPage(request, reply, () => Promise.reject(error)));
    forms.post("/sso/saml/:provider_id/acs", (request, reply) =>
      withRefusalPage(request, reply, async () => {
        const providerId = providerIn(request);
        const form = new URLSearchParams(typeof request.body === "string" ? request.body : "");
        // A form post of another site carries no cookies of ours. The next step is a plain link to ourselves, which
        // carries them.
        const taken = await sso.takeSaml(providerId, form, callerOf(request)).catch(async (error: unknown) => {
          if (error instanceof Problem && error.code === "sso_answer_refused") await countRefused(request.ip);
          throw error;
        });
        const next =
          taken === null
            ? `/sso/start?provider=${providerId}`
            : `/sso/saml/${providerId}/finish?state=${encodeURIComponent(taken.state)}`;
        return reply.code(303).headers(redirectTo(next)).send("");
      }),
    );
  });

  return [
    ["/sso/start", ["GET"]],
    ["/sso/oidc/callback", ["GET"]],
    ["/sso/saml/:provider_id/acs", ["POST"]],
    ["/sso/saml/:provider_id/finish", ["GET"]],
    ["/sso/saml/:provider_id/metadata", ["GET"]],
  ];
}

/** Anyone may send such a form, and it is read before it can be checked: it counts against the share of its address. */
function reserveForms(forms: FastifyInstance, { bodies }: Edge): void {
  const taken = new WeakMap<FastifyRequest, () => void>();
  forms.addHook("onRequest", (request, _reply, done) => {
    try {
      const bytes = Math.min(Number(request.headers["content-length"] ?? formBytesMax), formBytesMax);
      taken.set(request, bodies.take({ address: request.ip }, bytes));
      done();
    } catch (error) {
      done(asProblem(error));
    }
  });
  const release = (request: FastifyRequest) => taken.get(request)?.();
  forms.addHook("onResponse", async (request) => release(request));
  forms.addHook("onRequestAbort", async (request) => release(request));
}

/** The current address contains a code or a state, which the next page must not receive as referrer. */
const redirectTo = (location: string) => ({ location, "referrer-policy": "no-referrer" });

const idShape = /^[a-z0-9_]{1,64}$/;

/** A malformed id becomes an id that does not exist. */
const idIn = (text: string | null): string | null => (text === null || idShape.test(text) ? text : "none");

function providerIn(request: FastifyRequest): string {
  const id = (request.params as { provider_id?: string }).provider_id ?? "";
  if (!idShape.test(id)) throw new Problem("provider_not_found");
  return id;
}

function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? "";
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
}

/** This machine has two names, and cookies belong to one: the whole sign-in uses the name of our pages. */
function otherName(request: FastifyRequest, pages: { url: string; origins: string[] }): string | null {
  const origin = `${request.protocol}://${request.headers.host ?? ""}`;
  const isOther = origin !== new URL(pages.url).origin && pages.origins.includes(origin);
  return isOther ? `${pages.url}${request.raw.url ?? ""}` : null;
}

/** The path to continue at after the sign-in: `ownPath` says which are ours. A path under /sso/ would redirect forever. */
export function safePath(text: string | null, baseUrl: string): string | null {
  const path = ownPath(text, new URL(baseUrl).origin);
  return path === null || path.startsWith("/sso/") ? null : path;
}
