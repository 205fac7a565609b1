import type { VendorShapes } from "./judge.ts";

const external = "https://vercel.com/docs/rest-api/vercel-api-integrations";

/** The vendor's OpenAPI document describes no sign-in; each line names the page that shows it. */
export const signInShapes: VendorShapes = {
  source: external,
  everywhere: {},
  operations: [
    {
      call: "GET /integrations/*/new",
      source: external,
      // The sandbox alone takes a redirect address: the vendor has it in the registration.
      query: { state: "string", redirect_uri: "string" },
    },
    { call: "POST /v2/oauth/access_token", source: external, body: "CodeForm" },
  ],
  schemas: {
    CodeForm: {
      client_id: "string required",
      client_secret: "string required",
      code: "string required",
      redirect_uri: "string required",
    },
  },
};

/** Parameters that the document leaves out, by operation. */
export const furtherQueries: Readonly<Record<string, { query: Readonly<Record<string, string>>; source: string }>> = {
  "GET /v6/deployments": {
    query: { "meta-signalboxIntent": "string" },
    source: "https://vercel.com/docs/cli/list#meta; vercel/vercel, packages/cli/src/commands/list: `meta-<key>`",
  },
};
