import type { Region } from "../../kernel/regions.ts";
import type { SandboxUrls } from "../settings/read-setting-values.ts";

/** How a process of the server begins. */
export interface Beginning {
  /** Counts from 1. */
  number: number;
  /** One of the processes does what a start does once: the first account, and its connections. */
  setsUp: boolean;
  /** The primary's own sandboxes, if it has any. */
  sandboxes: SandboxUrls | null;
  /** They started with the server, and not before a process that is replaced. */
  areSandboxesNew: boolean;
}

/** What one process can be asked about itself. */
export type Question = { about: "metrics" } | { about: "readiness"; region: Region };

/** Metrics are a page of text. Readiness is null, or the reason why there is none. */
export type Answer = string | null;

/** What the first start still lacks is known to one process, and holds for the whole server. */
export const firstStartLacks = {
  file: "first-run.json is not complete: the log says why",
  sandboxes: "the sandboxes do not respond",
} as const;

/** What the primary knows of all processes together. */
export interface Gathered {
  /** Of the other processes that answered in time. */
  answers: Answer[];
  /** Of the primary itself. */
  primary: Answer;
  /** All processes have been ready once. */
  isStarted: boolean;
  /** The process that does what a start does once has had all of it, in this region. */
  isSetUp: boolean;
}

export type FromPrimary =
  | ({ kind: "begin" } & Beginning)
  | { kind: "ask"; id: number; question: Question }
  | { kind: "gathered"; id: number; gathered: Gathered }
  | { kind: "stop"; why: string };

export type ToPrimary =
  | { kind: "loaded" }
  | { kind: "ready" }
  | { kind: "answer"; id: number; answer: Answer }
  | { kind: "gather"; id: number; question: Question; own: Answer }
  /** The last page of metrics of a process that stops. */
  | { kind: "last metrics"; text: string };
