import type { Region } from "../kernel/regions.ts";

const name = (region: Region): string => `__Host-sb_sso_${region}`;
const shape = /^[0-9A-Za-z]{43}$/;
const lifeSeconds = 600;

/** Binds a sign-in under way to the browser that began it. Sent along when a provider's page leads back here by a link. */
export const browserCookie = (region: Region, value: string): string =>
  `${name(region)}=${value}; Path=/; Max-Age=${lifeSeconds}; Secure; HttpOnly; SameSite=Lax`;

/** Two cookies of the name, or one of another shape, are as good as none. */
export function browserIn(header: string | undefined, region: Region): string | null {
  const start = `${name(region)}=`;
  const found = (header ?? "").split(/; */).filter((pair) => pair.startsWith(start));
  const value = found.length === 1 ? found[0]?.slice(start.length) : undefined;
  return value !== undefined && shape.test(value) ? value : null;
}
