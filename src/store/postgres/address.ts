/** Parses the address of a PostgreSQL database without loading the driver. */

export interface Host {
  host: string;
  port: number;
}

/** The hosts of an address, and the address for one of them. */
export interface Address {
  hosts: Host[];
  /** Whether a server must accept writes. With several hosts it must, unless the address says `any`. */
  wantsPrimary: boolean;
  /** Under this name, a pooler has connections for authentication and health checks alone. Null: there is no such name. */
  reserveDatabase: string | null;
  urlFor(host: Host): string;
}

const reserveName = "reserve_database";
const useful = new Set(["read-write", "primary", "any"]);

/**
 * Reads `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`. The driver reads such an
 * address too, but uses the first server that responds, even a standby. Throws a sentence if the address cannot be
 * used.
 */
export function readAddress(url: string): Address {
  const [, head = "", authority = "", rest = ""] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const named = authority.split(",").map(readHost);
  // Without a host, the driver's environment variables decide.
  const parsed = URL.parse(`${head}${authority.split(",")[0]}${rest}`);
  if (parsed === null) throw new Error("it is not a valid address");
  const wanted = parsed.searchParams.get("target_session_attrs");
  if (wanted !== null && !useful.has(wanted)) {
    throw new Error(`target_session_attrs=${wanted} cannot be used: Signalbox writes; say read-write, primary or any`);
  }
  const reserveDatabase = parsed.searchParams.get(reserveName);
  for (const ours of ["target_session_attrs", reserveName]) parsed.searchParams.delete(ours);
  const query = parsed.search;
  const path = rest.split(/[?#]/)[0] ?? "";
  return {
    hosts: named,
    reserveDatabase,
    wantsPrimary: wanted === null ? named.length > 1 : wanted !== "any",
    urlFor: ({ host, port }) => `${head}${host.includes(":") ? `[${host}]` : host}:${port}${path}${query}`,
  };
}

function readHost(text: string): Host {
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const { PGHOST = "localhost", PGPORT = "5432" } = process.env;
  return { host: decodeURIComponent(bracketed ?? plain) || PGHOST, port: Number(port ?? PGPORT) };
}
