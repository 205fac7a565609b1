import type { VendorShapes } from "./judge.ts";

const guide = "https://developers.google.com/identity/protocols/oauth2/web-server";
const serviceAccounts = "https://developers.google.com/identity/protocols/oauth2/service-account";

/** The vendor's sign-in has no discovery document of this kind; each line names the page that shows it. */
export const signInShapes: VendorShapes = {
  source: guide,
  everywhere: {},
  operations: [
    {
      call: "GET /o/oauth2/v2/auth",
      source: guide,
      query: {
        client_id: "string",
        redirect_uri: "string",
        response_type: "code",
        scope: "string",
        state: "string",
        access_type: "online|offline",
        prompt: "none|consent|select_account",
        include_granted_scopes: "boolean",
        login_hint: "string",
        code_challenge: "string",
        code_challenge_method: "plain|S256",
      },
    },
    { call: "POST /token", source: `${guide}, ${serviceAccounts}`, body: "TokenForm" },
    { call: "POST /revoke", source: `${guide}#tokenrevoke`, body: "RevokeForm" },
    {
      call: "POST /tokeninfo",
      source: "googleapis/google-api-nodejs-client, discovery/oauth2-v2.json: oauth2.tokeninfo",
      body: "TokenInfoForm",
    },
  ],
  schemas: {
    TokenForm: {
      grant_type: "authorization_code|refresh_token|urn:ietf:params:oauth:grant-type:jwt-bearer required",
      code: "string",
      redirect_uri: "string",
      client_id: "string",
      client_secret: "string",
      code_verifier: "string",
      refresh_token: "string",
      assertion: "string",
    },
    RevokeForm: { token: "string required" },
    TokenInfoForm: { access_token: "string required" },
  },
};
