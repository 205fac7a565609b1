import type { Presentation } from "../../../src/systems/presentation.ts";

/** How the console shows the made-up system. */
export const ticketsPresentation: Presentation = {
  title: "Ticket tracker",
  purpose: "Tickets.",
  words: "tickets ticketeer",
  forms: [
    {
      way: "token",
      title: "Paste a token",
      steps: ["Open Settings › Tokens at the ticket tracker and create one."],
      fields: [{ name: "token", label: "Token", help: "As the ticket tracker showed it.", kind: "secret" }],
    },
  ],
  policy: { kinds: [{ kind: "ticket", title: "Ticket" }], readingPosts: [] },
  apiCall: null,
  levels: null,
  limitSettings: null,
  waits: {
    wait_for_ticket: {
      title: "Wait for a ticket",
      summary: "Waits until a ticket is closed.",
      keywords: "ticket closed",
      kind: "ticket",
      waitsFor: "a ticket",
      schema: {
        type: "object",
        required: ["ticket_id"],
        properties: { ticket_id: { type: "number" }, timeout_seconds: { type: "number", minimum: 1 } },
      },
    },
  },
  events: {
    webhook: null,
    names: ["ticket.closed"],
    first: "ticket.closed",
    payload: { ticket: { id: 7 } },
    expression: "{{event.payload.ticket.id}}",
    signature: { header: "x-ticketeer-signature", hash: "sha256" },
  },
};
