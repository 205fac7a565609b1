import type { Resource } from "./define.ts";

/** An id as its system compares it: `properties/1000` is 1000, and list 007 is list 7. */
export const plainId = (kind: Resource["kind"], id: string): string => plainIds[kind](id);

const asWritten = (id: string): string => id;
function numbered(id: string): string {
  const bare = id.replace(/^(?:properties|accounts)\//, "");
  return /^\d+$/.test(bare) ? bare.replace(/^0+(?=\d)/, "") : bare;
}

/** Complete: a new kind of resource does not compile without its entry. */
const plainIds: Record<Resource["kind"], (id: string) => string> = {
  project: asWritten,
  deployment: asWritten,
  property: numbered,
  account: numbered,
  list: numbered,
  campaign: numbered,
};
