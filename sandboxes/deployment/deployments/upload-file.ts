import { createHash } from "node:crypto";
import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest } from "../http/api-error.ts";
import { type ApiRequest, ok } from "../http/api-request.ts";

/** Keeps a file under its SHA-1, for a deployment that names it. Its digest is checked. */
export function uploadFile({ call, world, owner }: ApiRequest): SandboxAnswer {
  const { headers, body } = call;
  const digest = headers["x-vercel-digest"] ?? headers["x-now-digest"];
  const size = headers["x-now-size"];
  if (typeof digest !== "string") throw badRequest("Missing `x-now-digest` header.");
  if (digest !== createHash("sha1").update(body).digest("hex")) {
    throw badRequest("The digest does not match the SHA-1 of the file.");
  }
  if (size !== undefined && Number(size) !== body.length) throw badRequest("The size does not match the file.");
  world.files.set(fileKey(owner.id, digest), body);
  return ok({});
}

export const fileKey = (ownerId: string, digest: string) => `${ownerId} ${digest}`;
