import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { sandboxes } from "../../../../sandboxes/serve.ts";
import { serveSandbox } from "../../../../sandboxes/server/serve-sandbox.ts";
import { type SystemId, systemOf } from "../../../../src/systems/index.ts";

/** A system that answers as its sandbox does, but as much as it likes. */
export interface RogueSystem {
  system: SystemId;
  origin: string;
  credentials: Record<string, unknown>;
  /** From so many answers on, each of them grows; null for ordinary ones. */
  grow(growth: Growth | null, from?: number): void;
  close(): Promise<void>;
}

/** Makes the text of an answer of so many bytes out of an ordinary one. */
export type Growth = (answer: unknown, bytes: number) => unknown;

export async function startRogueSystem(system: SystemId, bytes: () => number): Promise<RogueSystem> {
  const served = await serveSandbox(sandboxes[system], 0);
  const { credentials } = (await (await fetch(`${served.url}/_sandbox`)).json()) as { credentials: object };
  const signIn = systemOf(system).signIn.credentials;
  let growth: Growth | null = null;
  let [answered, begins] = [0, 0];
  const { origin, close } = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const sent = { method: request.method ?? "GET", headers: headers as Record<string, string> };
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const answer = await fetch(served.url + request.url, { ...sent, ...body });
    const text = await answer.text();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    const grows = growth !== null && answered++ >= begins && /^\s*[[{]/.test(text);
    response.end(grows ? JSON.stringify(growth?.(JSON.parse(text), bytes())) : text);
  });
  return {
    ...{ system, origin, credentials: signIn.ofSandbox(credentials as Record<string, unknown>) },
    grow(next, from = 0) {
      [growth, answered, begins] = [next, 0, from];
    },
    async close() {
      await close();
      await served.stop();
    },
  };
}

const signIn: Record<string, unknown> = {
  "/v2/user": { user: { id: "u_1", email: "rogue@example.com", username: "rogue" } },
  "/v2/teams": { teams: [] },
};

/** A deployment platform at which anybody can sign in, and which answers to everything else what it is told. */
export async function serveRogue() {
  const rogue = { answer: { status: 200, body: "{}" }, origin: "", close: async () => {} };
  const served = await listen((request, response) => {
    const known = signIn[(request.url ?? "").replace(/\?.*/, "")];
    response.writeHead(known ? 200 : rogue.answer.status, { "content-type": "application/json" });
    response.end(known ? JSON.stringify(known) : rogue.answer.body);
  });
  return Object.assign(rogue, served);
}

/** Until it is closed: it outlives a test. */
async function listen(answer: RequestListener): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What an answer can have too much of. Each list and each text that is there grows; nothing is added, so that all of it is read. */
export const growths: Record<string, Growth> = {
  "long lists": (answer, bytes) => grown(answer, { inLists: bytes, inTexts: 0, item: numbered }),
  "lists of nothing": (answer, bytes) => grown(answer, { inLists: bytes, inTexts: 0, item: () => ({}) }),
  "long texts": (answer, bytes) => grown(answer, { inLists: 0, inTexts: bytes, item: numbered }),
  "long texts beside long lists": (answer, bytes) =>
    grown(answer, { inLists: bytes / 2, inTexts: bytes / 2, item: numbered }),
};

interface Wish {
  /** How many bytes all lists have together, and all texts outside of them. */
  inLists: number;
  inTexts: number;
  item(first: unknown, index: number): unknown;
}

/** Items with ids of their own, because those that are there twice are left out. */
function numbered(first: unknown, index: number): unknown {
  if (typeof first !== "object" || first === null || Array.isArray(first)) return first;
  const ids = ["id", "uid", "name"].filter((name) => typeof (first as Record<string, unknown>)[name] === "string");
  return {
    ...first,
    ...Object.fromEntries(ids.map((name) => [name, `${(first as Record<string, string>)[name]}${index}`])),
  };
}

function grown(answer: unknown, wish: Wish): unknown {
  const [lists, texts] = [{ count: 0 }, { count: 0 }];
  visit(answer, lists, texts);
  const bytesOfList = wish.inLists / Math.max(1, lists.count);
  const text = "x y ".repeat(Math.floor(wish.inTexts / Math.max(1, texts.count) / 4));
  const grow = (value: unknown, isInList: boolean): unknown => {
    if (typeof value === "string") return isInList || text === "" || isKept(value) ? value : value + text;
    if (Array.isArray(value)) {
      const first = grow(value[0], true);
      if (value.length === 0 || wish.inLists === 0) return value;
      const size = JSON.stringify(wish.item(first, 0)).length + 1;
      return Array.from({ length: Math.max(1, Math.floor(bytesOfList / size)) }, (_, index) => wish.item(first, index));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, grow(member, isInList)]));
  };
  return grow(answer, false);
}

/** What decides how an answer is read: states, times and kinds. */
const isKept = (text: string): boolean => /^(?:[A-Z_]+|\d{4}-.*|[\w.]+\/\w+)$/.test(text);

function visit(value: unknown, lists: { count: number }, texts: { count: number }, isInList = false): void {
  if (typeof value === "string" && !isInList && !isKept(value)) texts.count++;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) lists.count++;
    visit(value[0], lists, texts, true);
  } else for (const member of Object.values(value)) visit(member, lists, texts, isInList);
}
