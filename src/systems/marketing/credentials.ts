import { readText, requireText } from "../read-credentials.ts";
import type { Credentials } from "../sign-in.ts";

export const marketingCredentials: Credentials = {
  members: "`client_id`, `client_secret`, `rest_endpoint`",
  ways: ["client_credentials"],
  instead: "`client_id`, `client_secret` and `rest_endpoint`",
  read(given) {
    const address = readText(given, "rest_endpoint", "rest_api_endpoint");
    return {
      grant: {
        kind: "client credentials",
        clientId: requireText(given, "client_id"),
        clientSecret: requireText(given, "client_secret"),
      },
      ...(address === undefined ? {} : { address }),
    };
  },
  ofSandbox: ({ client_id, client_secret }) => ({ client_id, client_secret }),
};
