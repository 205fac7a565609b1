import { Problem } from "../../kernel/problem.ts";
import type { Envelope } from "../mails/mail-queue.ts";

/**
 * A program that asks for access in the name of people, such as an AI assistant. Anybody may register one, so nothing of it is
 * stored: its client id is its registration, sealed.
 */
export interface AssistantClient {
  name: string;
  redirectUris: string[];
}

const prefix = "sba_";
const context = "assistant client";
const nameLengthMax = 80;
const uriLengthMax = 500;
const urisMax = 5;

export interface ClientMetadata {
  client_name?: unknown;
  redirect_uris?: unknown;
}

export function registerClient(seal: Envelope, wish: ClientMetadata): { clientId: string; client: AssistantClient } {
  const client = readMetadata(wish);
  return { clientId: `${prefix}${seal.seal(JSON.stringify(client), context)}`, client };
}

export function readMetadata({ client_name: name, redirect_uris: uris }: ClientMetadata): AssistantClient {
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > urisMax || !uris.every(isRedirectUri)) {
    throw new Problem(
      "validation_failed",
      `\`redirect_uris\` takes 1 to ${urisMax} addresses: https, or http on this machine.`,
    );
  }
  return { name: nameOf(name), redirectUris: uris };
}

export function readClient(seal: Envelope, clientId: string): AssistantClient | null {
  if (!clientId.startsWith(prefix) || clientId.length > 4000) return null;
  try {
    return JSON.parse(seal.open(clientId.slice(prefix.length), context)) as AssistantClient;
  } catch {
    // A forged id, or one of an old master key: the assistant registers again.
    return null;
  }
}

const documentSeconds = 900;

/**
 * A client whose id is the address of its metadata: what was read there, sealed for the next quarter of an hour. The page that shows
 * it to a person hands it back when they allow it, so that they allow what they saw.
 */
export const sealDocument = (seal: Envelope, clientId: string, client: AssistantClient, now: Date): string =>
  seal.seal(JSON.stringify({ client, until: now.getTime() + documentSeconds * 1000 }), documentContext(clientId));

export function openDocument(seal: Envelope, clientId: string, sealed: string, now: Date): AssistantClient | null {
  try {
    const { client, until } = JSON.parse(seal.open(sealed, documentContext(clientId)));
    return now.getTime() < until ? client : null;
  } catch {
    // As above: the document is read again.
    return null;
  }
}

const documentContext = (clientId: string): string => `assistant document ${clientId}`;

/** Shown to people: one short line. */
const nameOf = (name: unknown): string =>
  (typeof name === "string" ? name : "")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, nameLengthMax) || "An assistant";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Schemes of the browser itself, which run or read something. */
const forbidden = new Set(["javascript:", "data:", "file:", "blob:", "about:", "vbscript:", "view-source:"]);

/** "Redirect URIs MUST be either localhost or use HTTPS", or lead to a program by its own scheme. */
function isRedirectUri(text: unknown): text is string {
  if (typeof text !== "string" || text.length > uriLengthMax || !URL.canParse(text)) return false;
  const { protocol, hostname, hash } = new URL(text);
  if (hash !== "" || forbidden.has(protocol)) return false;
  return protocol === "http:" ? loopback.has(hostname) : true;
}

/** The assistant, if it may be answered at this address. */
export function requireRedirect(client: AssistantClient | null, redirectUri: string): AssistantClient {
  if (!client || !allowsRedirect(client, redirectUri)) throw new Problem("assistant_unknown");
  return client;
}

/**
 * Where the browser returns, as a person reads it. Any scheme may name a host that it never contacts, so another scheme
 * than the web's is shown: `other://claude.ai/` leads to a program.
 */
export function redirectHostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === "https:" || protocol === "http:") return host;
  return host === "" ? protocol : `${protocol}//${host}`;
}

/** A program on this machine listens on any port: "the authorization server MUST allow any port" (RFC 8252, 7.3). */
function allowsRedirect({ redirectUris }: AssistantClient, wanted: string): boolean {
  if (!isRedirectUri(wanted)) return false;
  return redirectUris.some(
    (known) => known === wanted || (isLoopback(known) && withoutPort(known) === withoutPort(wanted)),
  );
}

const isLoopback = (uri: string): boolean => {
  const { protocol, hostname } = new URL(uri);
  return protocol === "http:" && loopback.has(hostname);
};

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = "";
  return url.href;
}
