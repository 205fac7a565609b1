import { OAuth2Client } from "google-auth-library";
import type { SandboxClient } from "./sandbox-client.ts";

/** The options with which the vendor's own clients call the sandbox. */
export function clientOptions(sandbox: SandboxClient, token: string) {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: token });
  return {
    fallback: true as const,
    protocol: "http",
    apiEndpoint: "127.0.0.1",
    port: Number(new URL(sandbox.url).port),
    authClient,
  };
}
