import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { Problem } from "../kernel/problem.ts";
import type { Step } from "../systems/define.ts";
import { findStep } from "../systems/index.ts";
import type { Caller } from "./caller.ts";
import { runUri } from "./tool-results.ts";

/** Runs as resources: an assistant reads what a run did, and what a report found. */

export const templates = [
  {
    name: "run",
    title: "A run",
    uriTemplate: "signalbox://runs/{run_id}",
    description: "A run with its status, its output, its steps and every request that it sent.",
    mimeType: "application/json",
  },
  {
    name: "run_output",
    title: "The output of a run",
    uriTemplate: "signalbox://runs/{run_id}/output",
    description: "The whole output of a run, such as the rows of a report.",
    mimeType: "application/json",
  },
];

interface ListedRun {
  run_id: string;
  tool_id: string | null;
  step_id: string | null;
  agent_id: string | null;
  status: string;
  created_at: string;
}

export async function listRuns(
  caller: Caller,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const page = JSON.parse(
    await caller.call("runs/list", { limit: 50, ...(cursor !== undefined && { after: cursor }) }),
  );
  const { results, next } = page as { results: ListedRun[]; next: string | null };
  return { resources: results.flatMap(toResources), ...(next !== null && { nextCursor: next }) };
}

function toResources(run: ListedRun): Resource[] {
  const document = run.step_id === null ? undefined : findStep(run.step_id)?.document;
  return document && run.status === "succeeded" ? [toRun(run), toDocument(run, document)] : [toRun(run)];
}

const toRun = (run: ListedRun): Resource => ({
  uri: runUri(run.run_id),
  name: run.run_id,
  title: `${run.step_id ?? run.tool_id ?? run.agent_id ?? "A run"}: ${run.status}`,
  description: `Started ${run.created_at}.`,
  mimeType: "application/json",
});

const toDocument = (run: ListedRun, { title, description }: NonNullable<Step["document"]>): Resource => ({
  uri: `${runUri(run.run_id)}/output`,
  name: `${run.run_id}_${title.toLowerCase()}`,
  title,
  description: `${description}, from ${run.created_at}.`,
  mimeType: "application/json",
});

/** Writing a longer text would stop the process for others. */
const textLengthMax = 4 * 1024 * 1024;
const tooLong = (runId: string): string =>
  `The output is too large for a resource. Read it with \`runs/${runId}/output\` of the HTTP API.`;

const shape = /^signalbox:\/\/runs\/([\w-]{1,128})(\/output)?$/;

export async function readResource(caller: Caller, uri: string): Promise<ReadResourceResult> {
  const [, runId, output] = shape.exec(uri) ?? [];
  if (runId === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
  const path = output === undefined ? "runs/{run_id}/get" : "runs/{run_id}/output";
  const input = { run_id: runId, ...(output !== undefined && { handle: "/output" }) };
  const text = await caller.call(path, input).catch((error) => {
    if (error instanceof Problem && error.code === "run_not_found") throw new ResourceNotFoundError(uri);
    throw error;
  });
  if (text.length > textLengthMax) throw new ProtocolError(ProtocolErrorCode.InvalidParams, tooLong(runId));
  return { contents: [{ uri, mimeType: "application/json", text }] };
}
