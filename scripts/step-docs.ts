import * as z from "zod";
import type { JsonSchema } from "../src/api/reference/operation-schemas.ts";
import type { Step } from "../src/systems/define.ts";
import { steps } from "../src/systems/index.ts";
import { type StepProblemCode, stepProblems } from "../src/systems/step-problems.ts";
import { lines, notice, table } from "./markdown.ts";
import { stepSamples } from "./step-samples.ts";

/** One page for each step, and one that lists them. The examples on them are run against the sandboxes by the tests. */
export const stepDocuments: Record<string, () => string> = {
  "steps/README.md": stepsDocument,
  ...Object.fromEntries(steps.map((step) => [`steps/${step.id}.md`, () => stepDocument(step)])),
};

function stepsDocument(): string {
  return lines(
    "# Steps",
    notice,
    "A step calls an external system through a connection of the project. `POST /latest/steps/{step_id}/run` with `{connection_id, input}` runs it. With `dry_run`, the response shows what would be sent, and nothing is sent.",
    connectionIds,
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

const connectionIds =
  "`connection_id` is the id of a connected account. The console shows it under **Integrations & API Keys**, `connections/list` returns it, and `first-run.json` has one for each sandbox. [Concepts](../concepts.md) explains the words.";

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
    "## Call it",
    connectionIds.replace("`connection_id` is", `\`connection_id\` is`),
    `\`\`\`sh\n${curlOf(step)}\n\`\`\``,
    `\`\`\`sh\n${commandOf(step)}\n\`\`\``,
    "The response has `run_id`, `status`, `warnings`, `limits` and this `output`, here from the sandbox and shortened:",
    `\`\`\`json\n${JSON.stringify(sampleOf(step), null, 2)}\n\`\`\``,
    "## Examples",
    "Bodies that work unchanged with a connection to the sandbox, except for the id of the connection.",
    ...step.examples.flatMap(({ title, input }) => [
      `**${title}**`,
      `\`\`\`json\n${JSON.stringify({ connection_id: "con_…", input }, null, 2)}\n\`\`\``,
    ]),
  );
}

/** The lines of the Quickstart set the variables. */
const curlOf = (step: Step): string =>
  [
    `curl -s http://127.0.0.1:4100/latest/steps/${step.id}/run -H 'Content-Type: application/json' \\`,
    '  -H "Authorization: Bearer <project_id>:<api_key>" \\',
    `  -d '${JSON.stringify({ connection_id: "<connection_id>", input: step.examples[0]?.input ?? {} })}'`,
  ].join("\n");

const commandOf = (step: Step): string =>
  `./signalbox steps run ${step.id} --connection <connection_id> \\\n  --input '${JSON.stringify(step.examples[0]?.input ?? {})}'`;

function sampleOf(step: Step): unknown {
  const sample = stepSamples[step.id];
  if (sample === undefined) throw new Error(`scripts/step-samples.ts has no output of ${step.id}.`);
  step.output.parse(sample);
  return sample;
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
