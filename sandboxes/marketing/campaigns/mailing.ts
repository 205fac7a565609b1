import type { Attribute, NewActivity } from "../activities/activity-log.ts";
import { typeIds } from "../activities/activity-types.ts";
import type { Lead } from "../leads/lead-table.ts";
import type { Email } from "../records.ts";

/** One e-mail going to some leads for one campaign. */
export interface Mailing {
  email: Email;
  /** The name under which activities show it: program and e-mail. */
  title: string;
  campaignId: number | null;
  runId: number;
}

/** What becomes of a mailing, in order, with the seconds after sending at which it happens. */
export const mailingStages = [
  { name: "sent", afterSeconds: 0 },
  { name: "arrived", afterSeconds: 2 },
  { name: "opened", afterSeconds: 300 },
  { name: "clicked", afterSeconds: 330 },
] as const;
type Stage = (typeof mailingStages)[number]["name"];
type Outcome = "hard bounce" | "soft bounce" | "delivered" | "opened" | "clicked";

/** Nobody writes to people who cannot or do not want to be written to. */
export const isMailable = ({ values }: Lead) =>
  typeof values.email === "string" && !values.unsubscribed && !values.emailInvalid && !values.marketingSuspended;

/**
 * The same lead always treats the same e-mail in the same way, so every figure can be told in advance. An address that
 * begins with `bounce` or `softbounce` always bounces so.
 */
export function outcomeOf(lead: Lead, email: Email): Outcome {
  const address = String(lead.values.email ?? "");
  if (address.startsWith("bounce")) return "hard bounce";
  if (address.startsWith("softbounce")) return "soft bounce";
  const percent = mix(lead.id, email.id) % 100;
  if (percent < 2) return "hard bounce";
  if (percent < 5) return "soft bounce";
  if (percent < 15) return "clicked";
  return percent < 42 ? "opened" : "delivered";
}

/** What this stage writes for this lead, or null. */
export function mailingActivity(
  mailing: Mailing,
  stage: Stage,
  lead: Lead,
  at: number,
  outcome = outcomeOf(lead, mailing.email),
): NewActivity | null {
  const kind = kindOf(stage, outcome);
  if (kind === null) return null;
  return {
    leadId: lead.id,
    at,
    typeId: kind,
    campaignId: mailing.campaignId,
    primaryId: mailing.email.id,
    primaryValue: mailing.title,
    attributes: attributesOf(mailing, kind, lead),
  };
}

function kindOf(stage: Stage, outcome: Outcome): number | null {
  if (stage === "sent") return typeIds.sendEmail;
  if (stage === "arrived") {
    if (outcome === "hard bounce") return typeIds.emailBounced;
    return outcome === "soft bounce" ? typeIds.emailBouncedSoft : typeIds.emailDelivered;
  }
  if (stage === "opened") return outcome === "opened" || outcome === "clicked" ? typeIds.openEmail : null;
  return outcome === "clicked" ? typeIds.clickEmail : null;
}

const devices: readonly (readonly Attribute[])[] = [
  [
    ["Device", "iPhone"],
    ["Platform", "iOS"],
    ["Is Mobile Device", true],
    ["Is Bot Activity", false],
  ],
  [
    ["Device", "unknown"],
    ["Platform", "Windows 11"],
    ["Is Mobile Device", false],
    ["Is Bot Activity", false],
  ],
  [
    ["Device", "unknown"],
    ["Platform", "Mac OS X"],
    ["Is Mobile Device", false],
    ["Is Bot Activity", false],
  ],
  // A mail provider's proxy that opens everything: counted as an open, and marked.
  [
    ["Device", "unknown"],
    ["Is Mobile Device", false],
    ["Is Bot Activity", true],
    ["Bot Activity Pattern", "Proximity"],
  ],
];

function attributesOf(mailing: Mailing, kind: number, lead: Lead): readonly Attribute[] {
  const shared = sharedAttributes(mailing);
  const isBounce = kind === typeIds.emailBounced || kind === typeIds.emailBouncedSoft;
  if (isBounce) return [...bounceAttributes(kind, lead), ...shared];
  if (kind !== typeIds.openEmail && kind !== typeIds.clickEmail) return shared;
  const device = devices[mix(lead.id, 7) % devices.length] ?? [];
  const link: Attribute[] = [
    ["Link", `https://www.example.com/from-mail/${mailing.email.id}`],
    ["Link ID", String(mailing.email.id * 10 + 1)],
  ];
  return kind === typeIds.openEmail ? [...device, ...shared] : [...device, ...link, ...shared];
}

function bounceAttributes(kind: number, lead: Lead): Attribute[] {
  const isHard = kind === typeIds.emailBounced;
  return [
    ["Category", isHard ? "2" : "3"],
    ["Email", String(lead.values.email)],
    ["Details", isHard ? "550 5.1.1 No such mailbox" : "452 4.2.2 Mailbox full"],
    ["Subcategory", isHard ? "2003" : "3001"],
  ];
}

// Every activity of a mailing carries the same few attributes: one array for all of them keeps the log small.
const sharedByMailing = new WeakMap<Mailing, readonly Attribute[]>();

function sharedAttributes(mailing: Mailing): readonly Attribute[] {
  const known = sharedByMailing.get(mailing);
  if (known) return known;
  const shared: readonly Attribute[] = [
    ["Campaign Run ID", mailing.runId],
    ["Step ID", mailing.email.id * 3 + 1],
    ["Choice Number", 0],
    ["Has Predictive", false],
  ];
  sharedByMailing.set(mailing, shared);
  return shared;
}

/** Two numbers into one that looks arbitrary. */
function mix(a: number, b: number): number {
  let value = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x165667b1, 0xc2b2ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
