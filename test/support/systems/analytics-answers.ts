import { effectOf } from "../../../src/systems/analytics/protocol/endpoints.ts";
import type { Answer, StepRequest } from "../../../src/systems/work.ts";

/** Short requests to the analytics APIs and their answers, for tables of tests. */

export const request = (method: StepRequest["method"], path: string, more: Partial<StepRequest> = {}): StepRequest => ({
  method,
  api: /:|metadata/.test(path) ? "data" : "admin",
  path: `/v1beta/${path}`,
  effect: effectOf(method, `/v1beta/${path}`),
  idempotent: false,
  ...more,
});
export const report = (body: object = {}) => request("POST", "properties/1000:runReport", { body });
export const realtime = (body: object = {}) => request("POST", "properties/1000:runRealtimeReport", { body });

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body,
  bytes: 0,
});
export const error = (code: number, status: string, message: string, reason?: string) =>
  answer(code, { error: { code, status, message, ...(reason ? { details: [{ reason }] } : {}) } });
