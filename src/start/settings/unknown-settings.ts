import { nearest } from "../../kernel/nearest-names.ts";

/** Variables that are no settings: of the launcher, and of programs that call the server. */
const others = new Set(["SIGNALBOX_WRAPPER_PID", "SIGNALBOX_TOKEN"]);
/** What Kubernetes sets in every pod beside a service of the name signalbox, or of one that begins so. */
const ofKubernetes = /_SERVICE_(?:HOST|PORT)|_PORT_\d{1,5}_(?:TCP|UDP)/;

/**
 * A variable that no setting has, as a sentence; null if there is none. A misspelt one would otherwise be ignored without a
 * word: with SIGNALBOX_DATABASE_URL instead of SIGNALBOX_DATABASE_URL_US, the server would start on SQLite.
 */
export function unknownSetting(environment: NodeJS.ProcessEnv, settings: readonly string[]): string | null {
  const known = settings.filter((name) => name.startsWith(prefix));
  const names = Object.keys(environment).filter((name) => name.startsWith(prefix));
  const unknown = names.find((name) => !known.includes(name) && !isOfOthers(name) && environment[name] !== "");
  if (unknown === undefined) return null;
  const perRegion = known.filter((name) => name.startsWith(`${unknown}_`));
  const meant = perRegion.length > 0 ? perRegion : nearest(withoutPrefix(unknown), known.map(named), 1).map(withPrefix);
  const hint = meant.length > 0 ? `Did you mean ${inWords(meant)}?` : "docs/settings.md lists them all.";
  return `There is no setting ${unknown}. ${hint}`;
}

const isOfOthers = (name: string): boolean => others.has(name) || ofKubernetes.test(name);

const prefix = "SIGNALBOX_";
const withoutPrefix = (name: string): string => name.slice(prefix.length);
const withPrefix = (name: string): string => `${prefix}${name}`;
// What all names begin with would make them all alike.
const named = (name: string) => ({ name: withoutPrefix(name) });

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
