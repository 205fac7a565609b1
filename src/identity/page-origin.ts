/** The address of a region's pages, for browsers and passkeys. */
export interface PageOrigin {
  /** The base address, with a host name instead of 127.0.0.1. */
  url: string;
  /** The relying party id of this region's passkeys. */
  rpId: string;
  /** The origins of our pages that browsers may send. */
  origins: string[];
}

/** "People open the pages as http://localhost:4100: passkeys need a name." Both origins are this machine. */
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
