import { type Command, Option } from "commander";
import { groupCommand } from "./calling/generated-commands.ts";

export const domainsCommand = (): Command =>
  groupCommand("domains", "Say which domains belong to the organization", [], {
    verify: {
      options: [
        new Option(
          "--domain <name>",
          "for operators, on this machine's store: accept this domain without asking the DNS",
        ),
        new Option("--organization <id>", "with --domain: whose it is, org_…"),
      ],
      isMeant: ({ domain }) => domain !== undefined,
      // Loaded on demand: commands that call a server start faster without the store.
      run: async (options) => (await import("./operator/domains.ts")).verifyDomain(options),
    },
  });
