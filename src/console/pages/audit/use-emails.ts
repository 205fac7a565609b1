import { useMemo } from "react";
import { useRead } from "../../state/use-read.ts";
import { useWho } from "../../state/use-who.ts";

/** Addresses by id: of the project's people, and for an owner of the whole organization's. */
export function useEmails(): ReadonlyMap<string, string> {
  const { data: who } = useWho();
  const isOwner = who?.user.organization_role === "owner";
  const here = useRead("/latest/auth/users/list", { limit: 100 }, { staleTime: 60_000 });
  const all = useRead(
    "/latest/organizations/users/list",
    { limit: 100 },
    { when: isOwner, outsideProject: true, staleTime: 60_000 },
  );
  return useMemo(() => {
    const known = [...(here.data?.results ?? []), ...(all.data?.results ?? [])];
    const emails = new Map<string, string>();
    for (const { user_id, email } of known) if (email) emails.set(user_id, email);
    return emails;
  }, [here.data, all.data]);
}
