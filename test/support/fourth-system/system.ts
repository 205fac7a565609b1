import * as z from "zod";
import { type System, step } from "../../../src/systems/define.ts";
import type { SystemEvents } from "../../../src/systems/events.ts";
import { failed } from "../../../src/systems/fail-step.ts";
import { requireText } from "../../../src/systems/read-credentials.ts";
import { SignInFailed, textIn } from "../../../src/systems/sign-in.ts";
import { systemWait } from "../../../src/systems/waits.ts";
import { send } from "../../../src/systems/work.ts";
import { ticketsPresentation } from "./presentation.ts";

/** A made-up system: everything that Signalbox needs to know of it is in this file and in `presentation.ts`. */

export const tickets: System<"tickets"> = {
  id: "tickets",
  title: ticketsPresentation.title,
  vendor: "Ticketeer",
  inSentence: "a ticket tracker",
  guide: { page: "ticketeer", title: "Ticketeer" },
  words: ["support", "complaints"],
  signIn: {
    apis: ["main"],
    live: { main: "https://api.tickets.example" },
    credentials: {
      members: "`token`",
      ways: ["token"],
      instead: "a `token`",
      read: (given) => ({ grant: { kind: "access token", token: requireText(given, "token") } }),
      ofSandbox: ({ token }) => ({ token }),
    },
    // biome-ignore lint/correctness/useYield: there is nothing to ask for, the grant is the token.
    *obtain(grant) {
      if (grant.kind !== "access token") throw new Error("A tickets account has an access token.");
      return { token: grant.token, expiresInSeconds: null };
    },
    *identify(token, { addresses }) {
      const answer = yield { origin: addresses.main ?? "", method: "GET", target: "/v1/me", bearer: token };
      const email = textIn(answer.body, "email");
      if (email === undefined) throw new SignInFailed("invalid_credentials", "The system does not know the token.");
      return { identity: { label: email, email }, accessLevel: null, scopes: [], lacks: null };
    },
    revoke: () => null,
  },
  pathPrefix: /^\/v1\//,
  settlesWithinSeconds: 30,
  worksSecondsMax: 30,
  complete: (request) => request,
  failure: ({ status }) =>
    status < 400 ? null : failed("invalid_there", "give up", `The ticket tracker returned status ${status}.`),
  demands: (_request, origin) => [
    { subject: `tickets|${origin}`, name: "burst", kind: "window", max: 5, windowSeconds: 60, amount: 1 },
  ],
  reportedLimits: () => [],
  policyKinds: { ticket: (id) => id.replace(/^#/, "") },
  resources({ path }) {
    const id = path.split("/tickets/")[1];
    return id === undefined ? null : [{ kind: "ticket", id }];
  },
};

const readTicket = step({
  id: "read_ticket",
  title: "Read Ticket",
  summary: "Reads one ticket.",
  forModels: "Use it to learn the subject of a ticket.",
  words: ["question"],
  system: tickets,
  effect: "read",
  needsLevel: null,
  input: z.strictObject({ ticket_id: z.int().min(1).meta({ title: "Ticket", description: "Its number" }) }),
  output: z.object({ subject: z.string().meta({ description: "Its first line" }) }),
  examples: [{ title: "Read a ticket", input: { ticket_id: 7 } }],
  *work({ ticket_id: id }) {
    const path = `/v1/tickets/${id}`;
    const { body } = yield* send({ method: "GET", api: "main", path, effect: "read", idempotent: true });
    return { output: { subject: textIn(body, "subject") ?? "" } };
  },
});

export const ticketsSteps = [readTicket] as const;

const waitForTicket = systemWait({
  id: "wait_for_ticket",
  title: "Wait for a ticket",
  system: tickets,
  kind: "ticket",
  input: z.strictObject({ ticket_id: z.int().min(1) }),
  pauseSeconds: { min: 1, max: 5 },
  *read({ ticket_id: id }) {
    const path = `/v1/tickets/${id}`;
    const { body } = yield* send({ method: "GET", api: "main", path, effect: "read", idempotent: true });
    const state = textIn(body, "state") ?? "";
    return { output: { state }, isFinal: state === "closed", what: `The ticket ${id}`, state };
  },
});

export const ticketsWaits = [waitForTicket] as const;

export const ticketsEvents: SystemEvents = {
  signature: { header: "x-ticketeer-signature", hash: "sha256" },
  names: ["ticket.closed"],
  nameOf: (systemName) => (systemName === "TICKET_CLOSED" ? "ticket.closed" : null),
  refuseName: () => null,
  sentAt: () => null,
  endedGrant: () => null,
  webhooks: null,
};
