import type { Db } from "../store/db.ts";
import { steps } from "../systems/index.ts";
import { insertName, listNamesLike } from "./tool-names.store.ts";

export {
  findPublished,
  listPublished,
  listPublishedSizes,
  type PublishedTool,
} from "./tool-names.store.ts";

/** How a machine calls a published tool: letters, digits and `_` from its title. A name is given once and stays. */

const lengthMax = 48;

export const nameFrom = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, lengthMax)
    .replace(/^_+|_+$/g, "") || "tool";

/** A step's id is never the name of a tool. */
const taken = new Set<string>(steps.map(({ id }) => id));

/** Gives the tool its name, unless it has one. Another node may do the same at this moment: then the first name counts. */
export async function giveName(db: Db, projectId: string, tool: { id: string; title: string }): Promise<string> {
  const base = nameFrom(tool.title);
  for (;;) {
    const given = await listNamesLike(db, projectId, tool.id, base);
    const own = given.find(({ toolId }) => toolId === tool.id);
    if (own) return own.name;
    const name = firstFree(base, new Set(given.map(({ name }) => name)));
    await insertName(db, { projectId, name, toolId: tool.id });
  }
}

function firstFree(base: string, given: Set<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!given.has(name) && !taken.has(name)) return name;
  }
}
