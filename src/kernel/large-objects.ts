/**
 * Listing the names of an object with tens of thousands of members takes V8 many milliseconds, however few of them are
 * used. So the code that makes such an object notes how many members it has, and the code that weighs it reads that first.
 */
const membersMin = 1_000;
const counts = new WeakMap<object, number>();

export function noteMembers(object: object, members: number): void {
  if (members >= membersMin) counts.set(object, members);
}

/** About so many members; 0 if nothing was noted. */
export const notedMembers = (object: object): number => counts.get(object) ?? 0;

/** Whether listing its names deserves a turn of the event loop of its own. */
export const isSlowToList = (object: object): boolean => notedMembers(object) > 10 * membersMin;
