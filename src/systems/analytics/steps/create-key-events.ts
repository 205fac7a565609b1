import * as z from "zod";
import { step } from "../../define.ts";
import { failed } from "../../fail-step.ts";
import { isMadeThen } from "../../made-then.ts";
import { allPages, pageCaps } from "../../read-pages.ts";
import { StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { findEvent } from "../options/collected-events.ts";
import { eventNames, properties } from "../options/options.ts";
import { idIn, PropertyId } from "../protocol/ids.ts";
import { listPaging } from "../protocol/list-paging.ts";
import { type Members, membersOf, textOf } from "../protocol/vendor-json.ts";
import { keyEventName } from "../protocol/written-names.ts";
import { analytics } from "../system.ts";

const countingMethods = ["ONCE_PER_EVENT", "ONCE_PER_SESSION"] as const;

const input = z.strictObject({
  property_id: PropertyId,
  event_name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, "A letter first, then letters, digits and underscores: at most 40.")
    .meta({ title: "Event name", description: "An event that the property already collects, such as `sign_up`." }),
  counting_method: z.enum(countingMethods).default("ONCE_PER_EVENT").meta({
    title: "Counting",
    description: "`ONCE_PER_EVENT` counts each time, `ONCE_PER_SESSION` at most once in a session.",
  }),
});

type Wish = z.output<typeof input>;

const output = z.object({
  key_event_id: z.string().meta({ title: "Key event", description: "The number that its path ends with." }),
  event_name: z.string().meta({ title: "Event name", description: "The event that now counts as a key event." }),
});

const listPath = (propertyId: string): string => `/v1beta/properties/${idIn(propertyId)}/keyEvents`;

const createRequest = ({ property_id, event_name, counting_method }: Wish): StepRequest => ({
  method: "POST",
  api: "admin",
  path: listPath(property_id),
  body: { eventName: event_name, countingMethod: counting_method },
  effect: "create",
  idempotent: false,
});

const toOutput = (keyEvent: Members) => ({
  key_event_id: idIn(textOf(keyEvent.name)),
  event_name: textOf(keyEvent.eventName),
});

/** The property's key event with this name, null without one, "unread" if the list could not be read to its end. */
function* findKeyEvent({ property_id, event_name }: Wish): Work<Members | null | "unread"> {
  const wish = { of: "keyEvents", maxItems: pageCaps.items };
  const { items, next } = yield* allPages(listPaging(listPath(property_id)), wish);
  const found = items.map(membersOf).find(({ eventName }) => eventName === event_name);
  return found ?? (next === null ? null : "unread");
}

/**
 * "An event cannot be created and marked as a key event in the same step": an event that was never collected is refused
 * here.
 */
function* requireCollected({ property_id, event_name }: Wish): Work<string[]> {
  const found = yield* findEvent(idIn(property_id), event_name);
  if (found.is === "collected") return [];
  if (found.is === "unknown") return [`Whether ${event_name} is collected could not be checked: ${found.why}`];
  const hint = found.nearest.length > 0 ? ` Collected are, among others: ${found.nearest.join(", ")}.` : "";
  const detail = `The property collects no event ${event_name}, so it cannot become a key event.${hint}`;
  const remedy = "Send the event from the site or app first, or use the name of one that is collected.";
  throw new StepFailed(failed("invalid_there", "give up", detail, { remedy }), null);
}

export const createKeyEvents = step({
  id: "create_key_events",
  title: "Create Key Events",
  summary: "Marks an event that a property already collects as a key event (formerly: conversion).",
  forModels:
    "Use this to count an event, such as sign_up or generate_lead, as a key event of a property. The event must be collected already: this never creates events. " +
    "An event that is a key event already ends as conflict_there, with its id. The account needs Editor on the property.",
  words: ["conversion", "conversions", "goal", "goals", "mark event", "conversion event", "key event"],
  system: analytics,
  effect: "create",
  needsLevel: "editor",
  input,
  output,
  examples: [
    { title: "Count sign-ups", input: { property_id: "1000", event_name: "sign_up" } },
    {
      title: "Count a login once in a session",
      input: { property_id: "1000", event_name: "login", counting_method: "ONCE_PER_SESSION" },
    },
  ],
  options: { property_id: properties, event_name: eventNames },
  *work(wish, { now }) {
    const warnings = yield* requireCollected(wish);
    try {
      const { body } = yield* send(createRequest(wish));
      return { output: toOutput(membersOf(body)), warnings };
    } catch (error) {
      throw yield* withPresentOne(error, wish, now);
    }
  },
  preview: createRequest,
  ambiguousNames: ({ property_id, event_name }) => [keyEventName(property_id, event_name)],
  // An event has at most one key event: one that was made since, with the same counting method, is the one that was sent.
  // One that is older or later, or counts otherwise, was made by others, and the system refuses a second one.
  *reconcile(wish, context) {
    const found = yield* findKeyEvent(wish);
    if (found === "unread") return "cannot tell";
    const isOurs = found !== null && found.countingMethod === wish.counting_method;
    const made = isOurs ? isMadeThen(found.createTime, context) : "no";
    if (made === "unknown") return "cannot tell";
    return isOurs && made === "yes" ? { output: toOutput(found) } : "did not";
  },
  cost: () => ({ calls: 2, tokens: 1, note: "One report that looks for the event, then the call that marks it." }),
});

/** No two clocks differ by this much. */
const longBeforeMilliseconds = 3_600_000;

/** Names the existing key event in the refusal; a refusal that was lost is known from one that is much older. */
function* withPresentOne(error: unknown, wish: Wish, now: Date): Work<unknown> {
  if (!(error instanceof StepFailed)) return error;
  const isRefused = error.failure.systemCode === "ALREADY_EXISTS";
  if (!isRefused && error.failure.code !== "outcome_unknown") return error;
  const found = yield* findQuietly(wish);
  const isOld = Date.parse(textOf(found?.createTime)) < now.getTime() - longBeforeMilliseconds;
  if (!isRefused && !isOld) return error;
  const which = found ? `: ${textOf(found.name)}, counted ${textOf(found.countingMethod)}.` : ".";
  const detail = `${wish.event_name} is a key event of this property already${which}`;
  const remedy = "Nothing needs to be done, unless it should be counted otherwise: PATCH it with the API Call step.";
  const failure = isRefused ? error.failure : failed("conflict_there", "give up", detail);
  return new StepFailed({ ...failure, detail, remedy }, error.answer);
}

function* findQuietly(wish: Wish): Work<Members | null> {
  try {
    const found = yield* findKeyEvent(wish);
    return found === "unread" ? null : found;
  } catch (error) {
    if (error instanceof StepFailed) return null;
    throw error;
  }
}
