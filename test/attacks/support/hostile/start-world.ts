import { cleanUpLater, temporaryFolder } from "../../../support/stores.ts";
import { type HostileWorld, openHostileWorld } from "./world.ts";

/** For a test, which closes it. */
export async function startHostileWorld(settings: NodeJS.ProcessEnv = {}): Promise<HostileWorld> {
  const world = await openHostileWorld(temporaryFolder(), settings);
  cleanUpLater(() => world.close());
  return world;
}
