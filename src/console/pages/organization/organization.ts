import { useRead } from "../../state/use-read.ts";
import { useWho } from "../../state/use-who.ts";

/** Everything here belongs to the organization, not to the project of the last page. */
export const outside = { outsideProject: true } as const;

export const useOrganization = () => useRead("/latest/organizations/get", {}, outside);

/** What a change of the organization makes stale. */
export const organizationReads = [
  "/latest/organizations/get",
  "/latest/organizations/list",
  "/latest/auth/info",
] as const;

export const useIsOwner = (): boolean => useWho().data?.user.organization_role === "owner";
