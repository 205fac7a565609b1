/** The part that is registered: the last two labels, which is enough for the names used here. */
export const apexOf = (name: string): string => name.split(".").slice(-2).join(".");

export const isDomainName = (name: string): boolean =>
  name.length <= 253 && /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/.test(name);
