import type { InviteCodes } from "../access/invite-codes.ts";
import type { Delivery } from "./deliveries.ts";

/** `messageOf` writes the target first in the data, and all that stands before it is ours. */
const targetOfBody = /(?<="data":\{"target":")[^"]{1,200}(?=")/;

/** The body as it is sent. The store names an invite by the stored form of its code, and receivers know it by the code. */
export const shownBody = (
  { type, body }: Pick<Delivery, "type" | "body">,
  codes: Pick<InviteCodes, "shown">,
): string => (type.startsWith("invite.") ? body.replace(targetOfBody, (target) => codes.shown(target)) : body);
