import type { Region } from "../../kernel/regions.ts";
import { cookieIn } from "../cookies.ts";

const name = (region: Region): string => `__Host-sb_sso_${region}`;
const lifeSeconds = 600;

/** Binds a started sign-in to its browser. The browser sends it when a provider's page redirects here. */
export const browserCookie = (region: Region, value: string): string =>
  `${name(region)}=${value}; Path=/; Max-Age=${lifeSeconds}; Secure; HttpOnly; SameSite=Lax`;

export const browserIn = (header: string | undefined, region: Region): string | null => cookieIn(header, name(region));
