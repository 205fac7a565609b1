import { hash } from "node:crypto";
import type { GroupMember } from "../../access/directory/group-members.ts";
import type { Group } from "../../access/directory/groups.ts";
import type { DirectoryPerson } from "../../access/directory/people.ts";

/**
 * "The version of the resource … must be the same as the entity-tag" (RFC 7643, 3.1). It is a hash of a few numbers
 * that change with everything a reader can see. It is a weak tag, because responses with different attributes share it.
 */
const tagOf = (...parts: (string | number | boolean)[]): string =>
  `W/"${hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22)}"`;

/** A person's response includes group names. `active` also changes from elsewhere, without a new revision. */
export const userVersion = (person: DirectoryPerson, groups: readonly GroupMember[]): string =>
  tagOf(
    person.revision,
    person.updatedAt,
    person.active,
    ...groups.flatMap(({ groupId, display }) => [groupId, display]),
  );

/** A group's revision counts changes of its members and their names, so the version does not read the members. */
export const groupVersion = ({ revision, updatedAt }: Group): string => tagOf(revision, updatedAt);
