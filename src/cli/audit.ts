import { Command } from "commander";
import { listAuditChains, verifyChain } from "../access/audit.ts";
import { asOperator, type OperatorOptions, operatorCommand, printRows } from "./command.ts";

export const auditCommand = (): Command =>
  new Command("audit")
    .description("The audit log")
    .addCommand(
      operatorCommand("verify", "check the audit chain of every organization; exit code 1 if one is broken").action(
        verify,
      ),
    );

async function verify(options: OperatorOptions): Promise<void> {
  const verdicts = await asOperator(options, async (scope) => {
    const chains = await listAuditChains(scope.db);
    const found = [];
    for (const organizationId of chains) found.push(await verifyChain(scope.db, organizationId));
    return found;
  });
  printRows(verdicts as unknown as Record<string, unknown>[], options);
  if (verdicts.some((verdict) => !verdict.valid)) process.exitCode = 1;
}
