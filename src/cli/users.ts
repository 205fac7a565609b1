import { type Command, Option } from "commander";
import { groupCommand } from "./calling/generated-commands.ts";
import { operatorCommand } from "./operator-command.ts";

// Loaded on demand: commands that call a server start faster without the store.
const load = () => import("./operator/users.ts");

export const usersCommand = (): Command =>
  groupCommand("users", "The people of a project; for operators: create and deactivate accounts", [
    operatorCommand(
      "create",
      "operators: create an account, and without --organization a new organization that it owns",
    )
      .requiredOption("--email <address>", "the person's address")
      .option("--organization <id>", "the organization it joins, org_…")
      .action(async (options) => (await load()).create(options)),
    existingAccount("set-role", "operators: make a person an owner of their organization, or a member again")
      .addOption(new Option("--role <role>", "the role in it").choices(["owner", "member"]).makeOptionMandatory())
      .action(async (options) => (await load()).setRole(options)),
    existingAccount("set-password", "operators: give a person a new password, and end their sessions")
      .option("--generate", "generate one, and print it this once")
      .action(async (options) => (await load()).setPassword(options)),
    existingAccount("deactivate", "operators: lock a person out at once, API keys included").action(async (options) =>
      (await load()).deactivate(options),
    ),
    existingAccount("reactivate", "operators: let a deactivated person in again, with a new API key").action(
      async (options) => (await load()).reactivate(options),
    ),
  ]);

const existingAccount = (name: string, description: string): Command =>
  operatorCommand(name, description)
    .option("--email <address>", "the person's address")
    .option("--organization <id>", "where the address has several accounts")
    .option("--user <id>", "the account, usr_…, instead of the address");
