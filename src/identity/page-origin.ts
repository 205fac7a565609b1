/** Where a region's pages are, as browsers and passkeys see it. */
export interface PageOrigin {
  /** What people open: the base address, by a name where it is this machine. */
  url: string;
  /** The name that passkeys of this region belong to. */
  rpId: string;
  /** What a browser may call itself that shows our pages. */
  origins: string[];
}

/** "People open the pages as http://localhost:4100: passkeys need a name." Both names are this machine. */
export function originsOf(baseUrl: string): string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  if (hostname !== "127.0.0.1") return [origin];
  return [origin, `${protocol}//localhost${port === "" ? "" : `:${port}`}`];
}

export function pageOriginOf(baseUrl: string): PageOrigin {
  const { hostname } = new URL(baseUrl);
  const isNumber = hostname === "127.0.0.1";
  return {
    url: isNumber ? baseUrl.replace("127.0.0.1", "localhost") : baseUrl,
    rpId: isNumber ? "localhost" : hostname,
    origins: originsOf(baseUrl),
  };
}
