import type { InviteCodes } from "../access/invite-code-port.ts";
import type { Delivery } from "./deliveries.ts";

/** `messageOf` writes the target first in the data, and all that stands before it is ours. */
const beforeTarget = '"data":{"target":"';

/** The body as it is sent. The store names an invite by the stored form of its code, and receivers know it by the code. */
export function shownBody({ type, body }: Pick<Delivery, "type" | "body">, codes: Pick<InviteCodes, "shown">): string {
  const at = type.startsWith("invite.") ? body.indexOf(beforeTarget) : -1;
  if (at < 0) return body;
  const start = at + beforeTarget.length;
  const end = body.indexOf('"', start);
  return end <= start ? body : body.slice(0, start) + codes.shown(body.slice(start, end)) + body.slice(end);
}
