import type { AccessLevel, ConnectionSettings } from "./account.ts";
import type { SignatureScheme } from "./events.ts";
import type { Method } from "./work.ts";

/**
 * How the console shows a system. Plain data, because it is loaded by browsers: a file with such a value imports
 * nothing but types and other plain data.
 */
export interface Presentation {
  title: string;
  /** What its accounts are for. */
  purpose: string;
  /** Words that find its pages in the command menu. */
  words: string;
  /** What the person grants on the system's own page. */
  grants?: string;
  /** About the number of calls a day, where each subscription has its own. Left out where the system reports its limits. */
  dailyQuota?: string;
  /** Where a person finds credentials at the vendor. Without a form, only the sandbox can be connected in the console. */
  forms: readonly PasteForm[];
  policy: {
    /** The things that a policy can be narrowed to. */
    kinds: readonly { kind: string; title: string }[];
    /** Paths that only read, though with POST. */
    readingPosts: readonly string[];
  };
  /** The API Call step, with which a policy can be tried; null if the system has none. */
  apiCall: {
    step: string;
    /** The member of its input that has the path. */
    path: "endpoint" | "path";
    methods: readonly Method[];
    /** What the form begins with. */
    first: { method: Method; path: string };
  } | null;
  /** What each access level allows; null if its accounts have none. */
  levels: Readonly<Record<AccessLevel, string>> | null;
  /** The limits that a person can state, because the system does not report them; null if there are none. */
  limitSettings: {
    lead: string;
    fields: readonly { name: keyof ConnectionSettings; label: string; standard: number }[];
  } | null;
  /** The built-in steps of tools that wait for something there, by id. */
  waits: Readonly<Record<string, PresentedWait>>;
  events: PresentedEvents | null;
  /** The page of the console that is about this system, if there is one. */
  page?: "deployments" | "reports";
  /** A tool of one step that only reads, for the first steps in a new project. */
  exampleTool?: {
    title: string;
    /** What it does, as a sentence. */
    does: string;
    step: string;
    input: Readonly<Record<string, unknown>>;
    output: string;
  };
}

export interface CredentialField {
  /** The member of `credentials`. */
  name: string;
  label: string;
  help: string;
  kind: "text" | "secret" | "file";
  isOptional?: boolean;
  /** Sandboxes know it themselves. */
  isLiveOnly?: boolean;
}

export interface PasteForm {
  /** The word of `systems/list`. */
  way: string;
  title: string;
  /** Steps at the vendor, in order. */
  steps: readonly string[];
  link?: { text: string; href: string };
  fields: readonly CredentialField[];
}

export interface PresentedWait {
  title: string;
  summary: string;
  keywords: string;
  /** `waiting_for.kind` of a run, and what it reads as: "a deployment". */
  kind: string;
  waitsFor: string;
  /** The JSON Schema of its form. */
  schema: Readonly<Record<string, unknown>>;
}

export interface PresentedEvents {
  /** If Signalbox can make the webhook at the system: the title of that part, and what the webhook sends. */
  webhook: { title: string; lead: string } | null;
  /** Our names for its events. */
  names: readonly string[];
  /** The event that a new rule begins with. */
  first: string;
  /** A payload for a test event, and an expression that reads it. */
  payload: Readonly<Record<string, unknown>>;
  expression: string;
  signature: SignatureScheme;
}
