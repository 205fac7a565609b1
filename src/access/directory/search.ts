import type { Store } from "../../store/db.ts";
import type { Condition } from "./condition.ts";
import type { Group } from "./groups.ts";
import type { DirectoryPerson } from "./people.ts";
import { type Found, findGroups, findPeople, type Paging } from "./search.store.ts";
import { createSearchQueue } from "./search-queue.ts";

/** Searches the people and groups of directories; each directory has one slow search at a time. */
export interface DirectorySearch {
  people(directoryId: string, condition: Condition | null, paging: Paging): Promise<Found<DirectoryPerson>>;
  groups(directoryId: string, condition: Condition | null, paging: Paging): Promise<Found<Group>>;
}

export function createDirectorySearch(store: Store): DirectorySearch {
  const ports = { store, inTurn: createSearchQueue() };
  return {
    people: (directoryId, condition, paging) => findPeople(ports, directoryId, condition, paging),
    groups: (directoryId, condition, paging) => findGroups(ports, directoryId, condition, paging),
  };
}
