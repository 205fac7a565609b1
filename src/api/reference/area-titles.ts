import type { Needs } from "../../access/callers/authorize.ts";
import type { Area } from "../../calls/define-operation.ts";

/** The title and the opening of each area on the reference page. */
export const areas: Record<Area, { title: string; opening: string }> = {
  projects: {
    title: "Projects",
    opening: "A project belongs to one organization. Its creator is its first admin, and invites others.",
  },
  invites: {
    title: "Invites",
    opening:
      "An invite offers a role in one project to one address. It is `pending` until it is accepted, deleted, or `expired`; its roles never change.",
  },
  users: {
    title: "People",
    opening:
      "Who is in a project, and with which role. A project always keeps at least one active admin: a call that would remove the last one is refused.",
  },
  keys: {
    title: "API keys",
    opening:
      "A key belongs to a person and can do what that person can do at the moment of the call, or less if it is restricted. Only its hash is stored.",
  },
  sessions: {
    title: "Sessions",
    opening:
      "Where you are signed in. A session ends after seven days, after twelve hours without use, or when you end it.",
  },
  sign_in: {
    title: "Signing in",
    opening:
      "The operations behind the sign-in pages. They need no key. Calls are limited for each address, and failed attempts for each account.",
  },
  service_users: {
    title: "Service users",
    opening:
      "An account for automation: it has keys and roles like a person, belongs to no person, and cannot sign in. A pipeline that uses it keeps working when a person leaves.",
  },
  single_sign_on: {
    title: "Single sign-on",
    opening: "People of your verified domains sign in at your own identity provider, by OpenID Connect or SAML 2.0.",
  },
  directory: {
    title: "Directory",
    opening:
      "Your identity provider manages people through SCIM 2.0 at `/scim/v2`. These operations manage its tokens, and the roles that its groups grant in projects.",
  },
  organizations: {
    title: "Organizations",
    opening: "An account belongs to one organization, and an organization lives in one region.",
  },
  systems: {
    title: "Systems",
    opening: "The external systems that steps can call, and how an account of each is connected.",
  },
  connections: {
    title: "Connections",
    opening:
      "A connection is an account at an external system, connected once for a project and named by every step that uses it. Its secrets are sealed, and never shown again.",
  },
  steps: {
    title: "Steps",
    opening:
      "A step calls an external system through a connection. Signalbox handles authentication, limits, paging and errors. Running a step creates a run.",
  },
  tools: {
    title: "Tools",
    opening:
      "A tool is an ordered list of steps with params, values between them, and an output. You edit its draft; runs use its published version.",
  },
  schedules: {
    title: "Schedules",
    opening: "A schedule starts a tool at the times of a cron expression, in a time zone of its own.",
  },
  runs: {
    title: "Runs",
    opening: "What was done, attempt by attempt. A finished step is never sent twice.",
  },
  limits: {
    title: "Limits",
    opening: "The limits of the external systems, shared by everyone who uses the same account there.",
  },
  agents: {
    title: "Agents",
    opening:
      "An agent receives events at an address of its own, and handles them: by its rules, an event starts a tool. `POST` to its `webhook_url` needs no key, because events are signed. Each event is stored once; the response is 202 with `event_id` and `run_id`.",
  },
  events: {
    title: "Events",
    opening:
      "The events that agents received, and what they started. An event that is sent again within seven days counts as the same event.",
  },
  webhooks: {
    title: "Webhooks",
    opening:
      "A webhook is an address of yours that receives events, signed as Standard Webhooks. An event is sent after its change is committed, at least once, and in no guaranteed order.",
  },
  audit: {
    title: "Audit",
    opening:
      "Every change leaves one row, written in the same transaction, and each row's hash covers the row before it.",
  },
  sandboxes: {
    title: "Sandboxes",
    opening:
      "Stand-ins for the external systems that this server runs itself. The owner moves their clocks and makes their calls fail, for tests and demonstrations.",
  },
};

/** How the documentation names a requirement: "Needs: no account." */
export const titleOfNeeds = (needs: Needs): string => (needs === "nobody" ? "no account" : needs);

export const needsInWords: Record<Needs, string> = {
  nobody: "Nothing: the call needs neither an account nor a key.",
  account: "Any active account, with any of its keys.",
  "full key": "Any active account, with a key that is not restricted to projects or to a role.",
  "project viewer": "Viewer, editor or admin of the project.",
  "project editor": "Editor or admin of the project.",
  "project admin": "Admin of the project, or owner of its organization.",
  "organization owner": "Owner of the organization, with a key that is not restricted to projects or to a role.",
};
