import { type ServedSandbox, serveSandbox } from "../../server/serve-sandbox.ts";
import { createAnalyticsSandbox } from "../analytics.ts";
import { checking } from "./check-answers.ts";

/** A sandbox of its own for a test file, a few words to talk to it, and every answer held against the field lists. */
export interface SandboxClient {
  url: string;
  served: ServedSandbox;
  /** What the field lists found wrong so far. */
  problems: string[];
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>;
  report(body: object, property?: string): Promise<Answer>;
  /** The rows of a report that must succeed; and the last value of the first row. */
  rows(question: object): Promise<(string | number)[][]>;
  one(question: object): Promise<number>;
  control(action: string, body?: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is checked by what it expects of it.
type Loose = any;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Loose;
}

export const tokens = {
  viewer: "ya29.sandbox-viewer",
  editor: "ya29.sandbox-editor",
  administrator: "ya29.sandbox-administrator",
};

export async function startSandbox(): Promise<SandboxClient> {
  const problems: string[] = [];
  const served = await serveSandbox(checking(createAnalyticsSandbox, problems), 0);
  const call: SandboxClient["call"] = async (method, path, body, token = tokens.viewer) => {
    const response = await fetch(served.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  };
  const report: SandboxClient["report"] = (body, property = "1000") =>
    call("POST", `/v1beta/properties/${property}:runReport`, body);
  const rows: SandboxClient["rows"] = async (question) => {
    const { status, body, text } = await report(question);
    if (status !== 200) throw new Error(text);
    return rowsOf(body);
  };
  return {
    url: served.url,
    served,
    problems,
    call,
    report,
    rows,
    one: async (question) => Number((await rows(question))[0]?.at(-1)),
    async control(action, body) {
      const response = await fetch(
        `${served.url}/_sandbox${action}`,
        body ? { method: "POST", body: JSON.stringify(body) } : {},
      );
      return (await response.json()) as Record<string, unknown>;
    },
    stop: () => served.stop(),
  };
}

/** The time that tests start from: a Wednesday afternoon in Paris, with visitors on the site. */
export const testTime = "2026-10-14T14:30:00.000Z";

/** Rows as plain lists: labels first, then numbers. */
export const rowsOf = (body: Loose): (string | number)[][] =>
  (body.rows ?? []).map((row: Loose) => [
    ...(row.dimensionValues ?? []).map((each: Loose) => each.value ?? ""),
    ...(row.metricValues ?? []).map((each: Loose) => Number(each.value)),
  ]);
