import type { Clock } from "../../server/clock.ts";
import { hasRole, type Person, type Role } from "../people/people.ts";
import { ApiError } from "../wire/api-error.ts";
import type { Account, Property, Records } from "./records.ts";

/** What an Admin method works with. */
export interface AdminScope {
  records: Records;
  person: Person;
  clock: Clock;
  keyEventsMax: number;
  /** Whether the property has ever received an event of this name. */
  hasCollected(propertyName: string, eventName: string): boolean;
}

export const noPermission = (): ApiError => new ApiError("PERMISSION_DENIED", "The caller does not have permission");
export const notFound = (): ApiError => new ApiError("NOT_FOUND", "Requested entity was not found.");
export const alreadyExists = (): ApiError => new ApiError("ALREADY_EXISTS", "Requested entity already exists");
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();

/** Unknown ids and ids without a role read the same: what you may not see does not exist. */
export function requireProperty(scope: AdminScope, name: string, role: Role): Property {
  const property = scope.records.properties.get(name);
  if (!property || isGrantLost(property, scope.clock) || !hasRole(scope.person, role, property.account, property.name))
    throw noPermission();
  return property;
}

export function requireAccount(scope: AdminScope, name: string, role: Role): Account {
  const account = scope.records.accounts.get(name);
  if (!account || !hasRole(scope.person, role, name)) throw noPermission();
  return account;
}

/** In the trash for 35 days, then gone for good. */
export const isGrantLost = ({ expireTime }: Property, clock: Clock): boolean =>
  expireTime !== undefined && Date.parse(expireTime) <= clock.now();

export function refuseTrashed(property: Property): void {
  if (property.deleteTime !== undefined) {
    throw new ApiError("FAILED_PRECONDITION", `The property ${property.name} is in the trash and cannot be changed.`);
  }
}
