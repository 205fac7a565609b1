import { hash } from "node:crypto";
import type { GroupMember } from "../access/directory/group-members.ts";
import type { Group } from "../access/directory/groups.ts";
import type { DirectoryPerson } from "../access/directory/people.ts";

/**
 * "The version of the resource … must be the same as the entity-tag" (RFC 7643, 3.1): another one with everything that a reader
 * could see change, from a handful of numbers. Weak, because the same version is written with more or fewer attributes.
 */
const tagOf = (...parts: (string | number | boolean)[]): string =>
  `W/"${hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22)}"`;

/** A person is shown with their groups and these with their names; whether they are active is also changed from elsewhere. */
export const userVersion = (person: DirectoryPerson, groups: readonly GroupMember[]): string =>
  tagOf(
    person.revision,
    person.updatedAt,
    person.active,
    ...groups.flatMap(({ groupId, display }) => [groupId, display]),
  );

/** A group counts the changes of its members and their names, so that thousands of them need not be looked at. */
export const groupVersion = ({ revision, updatedAt }: Group): string => tagOf(revision, updatedAt);
