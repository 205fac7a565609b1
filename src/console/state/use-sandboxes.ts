import type { RecordOf } from "../../client/wire.ts";
import { useRead } from "./use-read.ts";
import { useWho } from "./use-who.ts";

export type Sandbox = RecordOf<"/latest/sandboxes/list">;

const none: Sandbox[] = [];

/** The sandboxes that the server runs itself, for an owner; otherwise none. */
export function useSandboxes(options: { every?: number } = {}): Sandbox[] {
  const isOwner = useWho().data?.user.organization_role === "owner";
  const { data } = useRead(
    "/latest/sandboxes/list",
    {},
    { when: isOwner, outsideProject: true, staleTime: options.every ?? 300_000, every: options.every ?? false },
  );
  return data?.results ?? none;
}
