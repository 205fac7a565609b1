/**
 * Known tricks by which callers, names and systems try to send requests elsewhere, grouped by trick. Everything here
 * must be refused before a connection is made.
 */

export type Payloads = Readonly<Record<string, readonly string[]>>;

export const all = (payloads: Payloads): [trick: string, payload: string][] =>
  Object.entries(payloads).flatMap(([trick, list]) => list.map((payload): [string, string] => [trick, payload]));
