import { type Command, Option } from "commander";
import { groupCommand } from "./calling/generated-commands.ts";

// Loaded on demand: commands that call a server start faster without the store.
const load = () => import("./operator/keys.ts");

const ofAccount = [
  new Option("--email <address>", "for operators, on this machine's store: the person's address"),
  new Option("--organization <id>", "with --email: where the address has several accounts"),
];

/** Of your own account through the server; with --email or --key, of any account on this machine's store. */
export const keysCommand = (): Command =>
  groupCommand("keys", "Create, list and revoke API keys", [], {
    create: {
      options: ofAccount,
      isMeant: ({ email }) => email !== undefined,
      run: async (options) => (await load()).create(options),
    },
    list: {
      options: ofAccount,
      isMeant: ({ email }) => email !== undefined,
      run: async (options) => (await load()).list(options),
    },
    revoke: {
      options: [new Option("--key <id>", "for operators, on this machine's store: any key, key_…")],
      isMeant: ({ key }) => key !== undefined,
      run: async (options) => (await load()).revoke(options),
    },
  });
