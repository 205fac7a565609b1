import type { Path } from "../../../client/wire.ts";

/** What changes on screen with an invite. */
export const inviteChanges: Path[] = ["/latest/auth/invite/list", "/latest/auth/users/list"];

/** The code stands after the #, so it reaches no log. */
export const inviteLink = (code: string): string => `${window.location.origin}/invite#${code}`;
