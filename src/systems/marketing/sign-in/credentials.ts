import { readText, refusedCredentials, requireText } from "../../read-credentials.ts";
import type { Credentials } from "../../sign-in.ts";
import { restOrigin } from "./own-address.ts";

/** Each names the instance. The vendor's screens show all three. */
const addressNames = [
  ["rest_endpoint", "rest_api_endpoint", "endpoint"],
  ["identity_endpoint", "identity"],
  ["munchkin_id", "munchkin_account_id"],
] as const;

export const marketingCredentials: Credentials = {
  members: "`client_id`, `client_secret`, `rest_endpoint` (or `identity_endpoint`, or `munchkin_id`)",
  ways: ["client_credentials"],
  instead: "`client_id`, `client_secret` and `rest_endpoint`",
  read(given) {
    const address = readAddress(given);
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

function readAddress(given: Record<string, unknown>): string | undefined {
  const typed = addressNames.flatMap((names) => {
    const text = readText(given, ...names);
    return text === undefined ? [] : [{ name: names[0], text }];
  });
  const [first, ...others] = typed;
  const other = others.find(({ text }) => first && restOrigin(text) !== restOrigin(first.text));
  if (other) throw refusedCredentials(other.name, `names another instance than \`${first?.name}\``, "contradiction");
  return first?.text;
}
