import * as z from "zod";
import type { JsonSchema } from "../src/api/reference/schemas.ts";
import type { Step } from "../src/systems/define.ts";
import { steps } from "../src/systems/index.ts";
import { type StepProblemCode, stepProblems } from "../src/systems/problems.ts";
import { lines, notice, table } from "./markdown.ts";

/** One page for each step, and one that lists them. The examples on them are run against the sandboxes by the tests. */
export const stepDocuments: Record<string, () => string> = {
  "steps/README.md": stepsDocument,
  ...Object.fromEntries(steps.map((step) => [`steps/${step.id}.md`, () => stepDocument(step)])),
};

function stepsDocument(): string {
  return lines(
    "# Steps",
    notice,
    "A step calls an external system through a connection of the project. `POST /latest/steps/{step_id}/run` with `{connection_id, input}` runs it; `dry_run` shows what would be sent, and sends nothing.",
    table(
      ["Step", "System", "What it does", "Effect"],
      steps.map((step) => [`[\`${step.id}\`](${step.id}.md)`, step.system.title, step.summary, step.effect]),
    ),
    "## How a run ends without success",
    "The response is 200 with `status` and `problem`. `fault` says who can fix the problem: the caller, the owner of the connected account, the system, or the person who set the policy. `retry` says when the same call may be repeated: `later`, `after_fix`, or `after_look` once a person has checked what happened.",
    table(
      ["Code", "Means", "What to do", "Fault", "Retry"],
      (Object.keys(stepProblems) as StepProblemCode[]).map((code) => {
        const { means, remedy, fault, retry } = stepProblems[code];
        return [`\`${code}\``, means, remedy, fault, retry];
      }),
    ),
  );
}

function stepDocument(step: Step): string {
  const level =
    step.needsLevel === null ? "" : ` The connected account needs the level ${step.needsLevel} at the system.`;
  return lines(
    `# ${step.title}`,
    notice,
    `${step.summary} ${step.system.title}, compatible with ${step.system.vendor}. Effect: ${step.effect}.${level}`,
    step.forModels,
    "## Input",
    memberTable(schemaOf(step.input, "input")),
    "## Output",
    memberTable(schemaOf(step.output, "output")),
    ...(step.options ? [`Values to choose from are offered for ${codes(Object.keys(step.options))}.`] : []),
    "## Examples",
    "They work unchanged with a connection to the sandbox.",
    ...step.examples.flatMap(({ title, input }) => [
      `**${title}**`,
      `\`\`\`json\n${JSON.stringify({ connection_id: "con_…", input }, null, 2)}\n\`\`\``,
    ]),
  );
}

const schemaOf = (schema: z.ZodType, io: "input" | "output"): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;

function memberTable(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(memberTable).join("\n\nor\n\n");
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return [`\`${name}${isRequired ? "" : "?"}\``, typeOf(member), member.description ?? ""];
  });
  return rows.length === 0 ? "Anything." : table(["Member", "Type", "Meaning"], rows);
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return codes(schema.enum);
  if (schema.const !== undefined) return codes([String(schema.const)]);
  if (schema.type === "array") return `list of ${schema.items ? typeOf(schema.items) : "anything"}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  return Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "anything");
}

const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
