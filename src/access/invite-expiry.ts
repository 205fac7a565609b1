import { isoTime } from "../kernel/times.ts";

/** How many days an invite can be accepted, unless the operator sets SIGNALBOX_INVITE_DAYS or the call names an expiry. */
export const inviteDaysDefault = 7;
export const inviteDaysMax = 365;

export const inviteExpiry = (now: Date, days: number): string => isoTime(new Date(now.getTime() + days * 86_400_000));
