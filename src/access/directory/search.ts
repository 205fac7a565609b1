export { findGroups, findPeople } from "./search.store.ts";
