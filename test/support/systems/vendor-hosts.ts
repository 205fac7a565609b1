import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { listen } from "../processes/local-servers.ts";
import { newCertificate } from "../sign-in/certificate.ts";

/** One request, as a host of a vendor received it. */
export interface HostRequest {
  /** The name in the TLS handshake, which the certificate is for. */
  host: string;
  /** The Host header. */
  named: string;
  call: string;
  status: number;
}

/**
 * The hosts of the vendors, over TLS, with certificates of an authority of their own. Behind each name a sandbox answers.
 * `without` has no certificate for its name.
 */
export async function startVendorHosts(behind: Readonly<Record<string, string>>, without: string) {
  const authority = newCertificate({ subject: "authority of the test", isAuthority: true });
  const { pem, privatePem } = newCertificate({ subject: "vendors", issuer: authority, names: Object.keys(behind) });
  const received: HostRequest[] = [];
  const server = createServer({ cert: pem, key: privatePem }, (request, response) => {
    forward(request, response).catch((error) => response.writeHead(502).end(String(error)));
  });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = String((request.socket as TLSSocket).servername);
    const { method = "", url = "", headers } = request;
    const seen = { host, named: headers.host ?? "", call: `${method} ${url.split("?")[0]}`, status: 0 };
    received.push(seen);
    const body = await buffer(request);
    const { host: _, connection: __, "content-length": ___, ...sent } = headers as Record<string, string>;
    const answer = await fetch(`${behind[host]}${url}`, {
      method,
      headers: sent,
      redirect: "manual",
      ...(body.length > 0 ? { body } : {}),
    });
    seen.status = answer.status;
    const plain = [...answer.headers].filter(
      ([name]) => !/^(content-(length|encoding)|transfer-encoding|connection)$/.test(name),
    );
    response.writeHead(answer.status, Object.fromEntries(plain));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  await listen(server);
  return {
    received,
    authorityPem: authority.pem,
    /** For `vendor-network.ts`. */
    settings: {
      TEST_VENDOR_PORT: String((server.address() as AddressInfo).port),
      TEST_VENDOR_NAMES: [...Object.keys(behind), without].join(","),
    },
  };
}
