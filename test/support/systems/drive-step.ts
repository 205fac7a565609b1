import type { CreateSandbox } from "../../../sandboxes/server/sandbox.ts";
import { serveSandbox } from "../../../sandboxes/server/serve-sandbox.ts";
import type { Identity } from "../../../src/systems/account.ts";
import type { Step, System } from "../../../src/systems/define.ts";
import { emptyAnswer } from "../../../src/systems/drive.ts";
import { type Answer, type Pause, StepFailed, type StepRequest, type Work } from "../../../src/systems/work.ts";
import { freezeDeeply } from "../../../src/tools/stored-definition.ts";

/** Where a step runs: a sandbox, and the caller's identity there. */
export interface DriveAt {
  /** Origins by API name, as a connection has them. */
  addresses: Readonly<Record<string, string>>;
  token: string;
  identity: Identity;
  intentId?: string;
  now?: Date;
  /** Called while a step waits; nothing by default, so that no test sleeps. */
  onPause?(pause: Pause): Promise<void>;
}

export interface Driven<T> {
  result: T;
  requests: StepRequest[];
  pauses: Pause[];
}

/** Runs a step like the pipeline, without limits, retries and journal. */
export async function driveStep(step: Step, input: unknown, at: DriveAt) {
  const { intentId = "int_test", now = new Date() } = at;
  const parsed = step.input.parse(input);
  // Runs of a tool share an input, so no step may change its own.
  freezeDeeply(parsed);
  const work = step.work(parsed, { intentId, now, identity: at.identity });
  const { result, ...seen } = await driveWork(work, step.system, at);
  return { output: step.output.parse(result.output), warnings: result.warnings ?? [], ...seen };
}

/** Likewise for the other generators of a step: its options and its reconciliation. */
export async function driveWork<T>(work: Work<T>, system: System, at: DriveAt): Promise<Driven<T>> {
  const seen = { requests: [] as StepRequest[], pauses: [] as Pause[] };
  let turn = work.next();
  while (!turn.done) {
    if ("yieldsEventLoop" in turn.value) turn = work.next(emptyAnswer);
    else turn = "pauseSeconds" in turn.value ? await wait(turn.value) : await ask(turn.value);
  }
  return { result: turn.value, ...seen };

  async function wait(pause: Pause) {
    seen.pauses.push(pause);
    try {
      await at.onPause?.(pause);
    } catch (error) {
      // As if the call had no time left.
      if (error instanceof StepFailed) return work.throw(error);
      throw error;
    }
    return work.next(emptyAnswer);
  }

  async function ask(wanted: StepRequest) {
    const request = system.complete(wanted, at.identity);
    seen.requests.push(request);
    const answer = await sendPlain(request, at);
    const failure = system.failure(answer, request);
    if (failure?.recordIsAbsent && wanted.mayBeAbsent) return work.next(answer);
    return failure ? work.throw(new StepFailed(failure, answer)) : work.next(answer);
  }
}

/** The failure of a step that must fail. */
export async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StepFailed)) throw new Error(`It did not fail: ${error}`);
  return error.failure;
}

/** One request with plain fetch. */
export async function sendPlain(request: StepRequest, at: DriveAt): Promise<Answer> {
  const origin = at.addresses[request.api];
  if (origin === undefined) throw new Error(`No address for the api "${request.api}".`);
  const response = await fetch(`${origin}${request.path}${queryText(request.query ?? {})}`, {
    method: request.method,
    headers: { ...request.headers, ...typeOf(request), authorization: `Bearer ${at.token}` },
    ...(request.body === undefined ? {} : { body: bodyText(request) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: parse(text, response.headers.get("content-type") ?? ""),
    bytes: Buffer.byteLength(text),
  };
}

function queryText(query: NonNullable<StepRequest["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}

function typeOf({ body, form }: StepRequest): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": form ? "application/x-www-form-urlencoded" : "application/json" };
}

function bodyText({ body, form }: StepRequest): string {
  if (!form) return JSON.stringify(body);
  const fields = Object.entries(body as Record<string, unknown>);
  const pairs = fields.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]));
  return new URLSearchParams(
    pairs.map(([name, one]) => [name, typeof one === "string" ? one : JSON.stringify(one)]),
  ).toString();
}

function parse(text: string, type: string): unknown {
  try {
    return type.includes("json") && text !== "" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/** A sandbox on a free port, with its control API. */
export async function startSandbox(create: CreateSandbox) {
  const served = await serveSandbox(create, 0);
  const control = async (path: string, body?: object) => {
    const response = await fetch(`${served.url}/_sandbox${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, never>;
  };
  return { url: served.url, control, stop: () => served.stop() };
}
