import type { Command } from "commander";
import { hasLogin } from "./calling/caller.ts";
import { groupCommand } from "./calling/generated-commands.ts";

/** `verify` checks the organization of the login; without one, or with --store, every organization of this machine's stores. */
export const auditCommand = (): Command =>
  groupCommand("audit", "List, export and verify the audit log", [], {
    verify: {
      options: [],
      isMeant: (options) => !hasLogin(options),
      // Loaded on demand: commands that call a server start faster without the store.
      run: async (options) => (await import("./operator/audit.ts")).verifyChains(options),
    },
  });
