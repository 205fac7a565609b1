import type { InputOf } from "../../client/wire.ts";
import type { Presentation } from "../../systems/presentation.ts";
import { presentations } from "../../systems/presented-systems.ts";

/** The external systems, as the console shows them. What is known of each is in its folder in `src/systems`. */

export type SystemId = InputOf<"/latest/connections/connect">["system"];

const listed = Object.entries(presentations) as [SystemId, Presentation][];

export const systemIds: readonly SystemId[] = listed.map(([id]) => id);

/** Undefined for a system that only the server knows, such as one of a newer version. */
export const presentationOf = (system: string): Presentation | undefined =>
  (presentations as Readonly<Record<string, Presentation>>)[system];

/** What it is called, without waiting for `systems/list`. */
export const titleOfSystem = (system: string): string => presentationOf(system)?.title ?? system;

/** The system that a page of the console is about. */
export function systemWithPage(page: NonNullable<Presentation["page"]>): SystemId {
  const found = listed.find(([, presentation]) => presentation.page === page);
  if (!found) throw new Error(`No system has the page ${page}.`);
  return found[0];
}

/** The systems that send events to agents. */
export const eventSenders = listed.flatMap(([system, { events }]) => (events ? [{ system, ...events }] : []));
export const eventNames: readonly string[] = eventSenders.flatMap(({ names }) => names);

/** "the deployment platform": the senders at which Signalbox makes webhooks, in a sentence. */
export const sendersInText = eventSenders
  .filter(({ webhook }) => webhook !== null)
  .map(({ system }) => `the ${titleOfSystem(system).toLowerCase()}`)
  .join(" or ");

/** The built-in steps of tools that wait for something at a system. */
export const waitSteps = listed.flatMap(([system, { waits }]) =>
  Object.entries(waits).map(([id, wait]) => ({ id, system, ...wait })),
);

/** The system of the first steps in a new project. */
export const exampleSystem = listed.flatMap(([system, { exampleTool }]) =>
  exampleTool ? [{ system, tool: exampleTool }] : [],
)[0];

/** "marketing, deployment or analytics": what a person may type to find steps. */
export const systemsToTry = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(systemIds);

/** Words that find the systems in the command menu. */
export const systemWords = listed.map(([, { words }]) => words).join(" ");
