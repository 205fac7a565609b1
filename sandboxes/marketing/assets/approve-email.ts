import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import type { EmailVersion } from "../records.ts";
import { requireEmail } from "./email-record.ts";

const needed: [keyof EmailVersion, string][] = [
  ["subject", "subject"],
  ["fromName", "from name"],
  ["fromEmail", "from address"],
  ["replyEmail", "reply address"],
];

/** `POST /rest/asset/v1/email/{id}/approveDraft.json`: no body is looked at. */
export function approveEmail({ instance, clock }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  const { draft } = email;
  if (!draft) throw new Refusal("709", "No draft to approve: the email is already approved");
  const missing = needed.filter(([member]) => draft[member] === null).map(([, words]) => words);
  if (missing.length > 0) throw new Refusal("709", `Email cannot be approved without ${missing.join(", ")}`);
  email.approved = draft;
  email.draft = null;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

/** `POST /rest/asset/v1/email/{id}/unapprove.json`: the approved e-mail becomes the draft, unless there is one. */
export function unapproveEmail({ instance, clock }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  if (!email.approved) throw new Refusal("709", "Email is not approved");
  const isSent = [...instance.campaigns.values()].some(({ active, emailId }) => active && emailId === email.id);
  if (isSent) throw new Refusal("709", "Email is in use by an active campaign");
  email.draft ??= email.approved;
  email.approved = null;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

/** `POST /rest/asset/v1/email/{id}/discardDraft.json` */
export function discardEmailDraft({ instance, clock }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  if (!email.draft || !email.approved) throw new Refusal("709", "There is no draft of an approved email to discard");
  email.draft = null;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}
