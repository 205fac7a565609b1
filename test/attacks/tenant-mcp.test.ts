import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../support/stores.ts";
import { type Heard, leaksIn, type Put, putting, told } from "./support/foreign-or-absent.ts";
import {
  type AssistantWorld,
  asked,
  type ListedTool,
  type McpQuestion,
  messagesOf,
  methods,
  questionsOf,
  repeatedByThem,
  requestMethods,
  theirsOnce,
} from "./support/mcp-questions.ts";
import {
  type AssistantTenant,
  type McpRequest,
  type OpenResponse,
  open,
  type Revision,
  revisions,
  send,
  startAssistants,
} from "./support/mcp-tenants.ts";
import { changesBetween, rowsOf } from "./support/tenant-rows.ts";

/**
 * "No one reaches another tenant's data": the matrix of tenant-matrix.test.ts for assistants. Each method that the server answers,
 * and each tool of the list, is called with the key of one organization and the accounts, tools, runs and projects of another. The
 * methods are those of the protocol's library, in an older and the newest revision.
 */

const whoseTexts = ["theirs", "nobody's"] as const;

const inject = ({ team, authorization }: AssistantTenant, request: Omit<McpRequest, "authorization">): Promise<Heard> =>
  send(team, { authorization, ...request });

/** The plain call, as our code answers it, and the same with a member that leaves it to the protocol's library. */
const ways = [{}, { unknown: true }];

/** Both tenants, and a call of theirs that waits for the answer of their person. */
async function startWorld(kind: StoreKind): Promise<AssistantWorld & { waiting: OpenResponse }> {
  const tenants = await startAssistants(kind);
  const { own, theirs } = tenants;
  const post = { method: "POST", revision: "2025-06-18" } as const;
  const listed = await inject(own, { ...post, message: { id: 1, method: "tools/list" } });
  const tools: ListedTool[] = JSON.parse(dataOf(listed)).result.tools;
  for (const name of repeatedByThem(theirs)) {
    const params = { name, arguments: {}, _meta: { "signalbox/idempotency-key": theirsOnce } };
    expect((await inject(theirs, { ...post, message: { id: 2, method: "tools/call", params } })).status).toBe(200);
  }
  const session = "ask-theirs-7777";
  const params = { name: theirs.tools.asks.name, arguments: {} };
  const call = { ...post, session, message: { id: 1, method: "tools/call", params } };
  const waiting = await open(theirs.team, { ...call, authorization: theirs.authorization });
  const [, runId = ""] = /"approve\/\w+\/([\w-]+)\/ask"/.exec(await waiting.until("elicitation/create")) ?? [];
  expect(runId).toMatch(/^run_us_/);
  return { ...tenants, tools, call: { session, id: 1, runId }, waiting };
}

/** The message of a response, which may be an event. */
const dataOf = ({ text }: Heard): string => (text.startsWith("event:") ? (text.split("data: ")[1] ?? "") : text);

const requestOf = ({ message, session }: McpQuestion, put: Put, revision: Revision, more: object) => {
  const { params, ...rest } = message(put);
  return {
    method: "POST",
    revision,
    message: { ...rest, ...(params && { params: { ...params, ...more } }) },
    ...(session && { session: session(put) }),
  } as const;
};

describeOnBothStores("another organization's accounts, tools and runs", (kind) => {
  test("look to an assistant as if they did not exist, in every method and tool, and are not changed", async () => {
    const world = await startWorld(kind);
    const { own, theirs, call, waiting } = world;
    const { store, owner } = theirs.team;
    const before = await rowsOf(store, owner.organizationId);
    const secrets = new Set([...before.ids, ...before.emails, ...theirs.texts, theirs.tools.asks.name]);
    const wrong: string[] = [];
    for (const revision of revisions) {
      for (const question of [...questionsOf(world), ...messagesOf(world)]) {
        for (const more of question.title.startsWith("tools/call") ? ways : [{}]) {
          const title = `${revision}, ${question.title} ${JSON.stringify(more)}`;
          const ask = async (whose: (typeof whoseTexts)[number]) => {
            const put = putting(whose);
            const request = requestOf(question, put, revision, more);
            const answer = await inject(own, request);
            const leaks = leaksIn(answer, secrets, request);
            if (leaks.length > 0) wrong.push(`${title}, ${whose}: ${leaks} in ${answer.text}`);
            if (answer.status >= 500) wrong.push(`${title}, ${whose}: ${answer.text}`);
            return told(answer, put);
          };
          const [foreign, absent] = [await ask("theirs"), await ask("nobody's")];
          if (foreign !== absent) wrong.push(`${title}: ${foreign}, where nothing is ${absent}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(changesBetween(before, await rowsOf(store, owner.organizationId))).toEqual([]);
    expect(before.rows.length).toBeGreaterThan(30);
    // Their call still waits for their own person: what changed nothing of it, now that they send it themselves, ends it.
    const cancelled = { method: "notifications/cancelled", params: { requestId: call.id } };
    await inject(theirs, { method: "POST", revision: "2025-06-18", session: call.session, message: cancelled });
    expect(await waiting.until(null)).toContain("cancelled");
    const run = await theirs.team.call(`runs/${call.runId}/get`, {}, theirs.team.inProject(owner));
    expect(run.body.status).toBe("cancelled");
  });

  test("are found with their own key by the same calls, so it is the key that hides them", async () => {
    const world = await startWorld(kind);
    const differs = new Map<string, number>();
    for (const revision of revisions) {
      for (const question of questionsOf(world)) {
        const [method = ""] = question.title.split(",");
        const [theirs, absent] = await Promise.all(
          whoseTexts.map(async (whose) => {
            const put = putting(whose);
            return told(await inject(world.theirs, requestOf(question, put, revision, {})), put);
          }),
        );
        if (theirs !== absent) differs.set(method, (differs.get(method) ?? 0) + 1);
      }
    }
    world.waiting.leave();
    expect([...differs.keys()].sort()).toEqual(["resources/list", "resources/read", "tools/call", "tools/list"]);
    expect(differs.get("resources/read")).toBe(questionsOf(world).filter(isRead).length * revisions.length);
    expect(differs.get("tools/call")).toBeGreaterThan(40);
  });

  test("cannot be reached by naming their project with one's own key, in any method", async () => {
    const { own, theirs } = await startAssistants(kind);
    const { rows } = await rowsOf(theirs.team.store, theirs.team.owner.organizationId);
    const secrets = [theirs.team.owner.organizationId, ...theirs.connections, ...Object.values(theirs.runs)];
    const wrong: string[] = [];
    for (const revision of revisions) {
      const posts = methods.map((method) => ({ method: "POST", message: { id: 1, method, params: {} } }) as const);
      const others = (["GET", "DELETE"] as const).map((method) => ({ method, session: "any" }));
      for (const request of [...posts, ...others]) {
        const [foreign, absent] = await Promise.all(
          whoseTexts.map(async (whose) => {
            const put = putting(whose);
            const authorization = `Bearer ${put(theirs.team.projectId)}:${own.team.owner.apiKey}`;
            const answer = await send(own.team, { ...request, revision, authorization });
            return `${told(answer, put)} ${leaksIn(answer, secrets, request)}`;
          }),
        );
        if (foreign !== absent || !foreign?.startsWith("404 ")) wrong.push(`${JSON.stringify(request)}: ${foreign}`);
      }
    }
    expect(wrong).toEqual([]);
    expect((await rowsOf(theirs.team.store, theirs.team.owner.organizationId)).rows).toEqual(rows);
  });
});

test("every method that the server answers is in the matrix: a new one fails it until somebody says what it takes", async () => {
  const { own } = await startAssistants("sqlite");
  const answered = new Set<string>();
  for (const revision of revisions) {
    for (const method of requestMethods) {
      const { text } = await inject(own, { method: "POST", revision, message: { id: 1, method, params: {} } });
      if (!text.includes("Method not found")) answered.add(method);
    }
  }
  expect([...answered].sort()).toEqual(Object.keys(asked).sort());
  expect(requestMethods.length).toBeGreaterThan(answered.size);
});

const isRead = ({ title }: McpQuestion): boolean => title.startsWith("resources/read");
