import type { Db } from "../../store/db.ts";
import type { Condition } from "./condition.ts";
import type { Group } from "./groups.ts";
import type { DirectoryPerson } from "./people.ts";
import { type Paging, searchGroups, searchPeople } from "./search.store.ts";

/** People and groups of a directory by any condition, a page at a time, and how many there are in all. */
export const findPeople = (
  db: Db,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<{ total: number; page: DirectoryPerson[] }> => searchPeople(db, directoryId, condition, paging);

export const findGroups = (
  db: Db,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<{ total: number; page: Group[] }> => searchGroups(db, directoryId, condition, paging);
