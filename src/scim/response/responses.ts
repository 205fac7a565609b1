import type { ProtocolResponse } from "../../calls/protocol.ts";

const scimType = "application/scim+json";

/** `body` is JSON text: large responses are serialized piece by piece. */
export const textResponse = (
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): ProtocolResponse => ({
  status,
  headers: { "content-type": scimType, ...headers },
  body,
});

export const jsonResponse = (status: number, body: unknown): ProtocolResponse =>
  textResponse(status, JSON.stringify(body));

export const emptyResponse = (status: 204 | 304, headers: Record<string, string> = {}): ProtocolResponse => ({
  status,
  headers,
  body: "",
});
