import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Tools that are installed apart from ours, because they need another TypeScript; `scripts/install.js all` puts them here. */
export const generatorModules = fileURLToPath(new URL("../../../.generators/node_modules/", import.meta.url));

/** Imports a file of one of them. They have no types here, so the caller says what it uses. */
export async function generator<T>(file: string): Promise<T> {
  if (!existsSync(generatorModules)) throw new Error("Run `node scripts/install.js all` first, as `npm test` does.");
  return (await import(join(generatorModules, file))) as T;
}
