import type { Path } from "../../../client/wire.ts";

/** What changes on screen with a service user. */
export const serviceUserChanges: Path[] = ["/latest/auth/service_users/list", "/latest/auth/users/list"];

/** Service users have addresses that no mail reaches. */
export const isService = ({ email }: { email: string }): boolean => email.endsWith("@service-user.invalid");
