import type { Store } from "../../store/db.ts";
import type { Condition } from "./condition.ts";
import type { Group } from "./groups.ts";
import type { DirectoryPerson } from "./people.ts";
import { type Paging, searchGroups, searchPeople } from "./search.store.ts";

export const findPeople = (
  store: Store,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<{ total: number; page: DirectoryPerson[] }> => searchPeople(store, directoryId, condition, paging);

export const findGroups = (
  store: Store,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<{ total: number; page: Group[] }> => searchGroups(store, directoryId, condition, paging);
