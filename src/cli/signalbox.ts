import { Command } from "commander";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { buildCommand } from "./build.ts";
import { reportFailure } from "./command.ts";
import { connectionsCommand } from "./connections.ts";
import { doctorCommand } from "./doctor.ts";
import { domainsCommand } from "./domains.ts";
import { keysCommand } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { restoreCommand } from "./restore.ts";
import { rotateKeyCommand } from "./rotate-key.ts";
import { runsCommand } from "./runs.ts";
import { sandboxCommand } from "./sandbox.ts";
import { serveCommand } from "./serve.ts";
import { stepsCommand } from "./steps.ts";
import { toolsCommand } from "./tools.ts";
import { usersCommand } from "./users.ts";

// Files of this process, such as databases and keys, are readable by its own user only.
process.umask(0o077);

const program = new Command("signalbox")
  .description("Access governance and tool steps, self-hosted, in three regions.")
  .addCommand(serveCommand())
  .addCommand(sandboxCommand())
  .addCommand(buildCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .addCommand(usersCommand())
  .addCommand(keysCommand())
  .addCommand(domainsCommand())
  .addCommand(connectionsCommand())
  .addCommand(stepsCommand())
  .addCommand(toolsCommand())
  .addCommand(runsCommand())
  .addCommand(auditCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(rotateKeyCommand())
  .addHelpText("after", "\nSettings come from flags or SIGNALBOX_… variables; docs/settings.md lists them all.")
  .showHelpAfterError();

await program.parseAsync().catch(reportFailure);
