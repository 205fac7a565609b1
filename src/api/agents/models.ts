import * as z from "zod";
import { operation } from "../../calls/define-operation.ts";

const servers = ["openai", "anthropic"] as const;

export const modelOperations = [
  operation({
    path: "/latest/agents/models",
    area: "agents",
    summary: "Which models agents can use on this server",
    description: "The operator sets them up. An agent whose model is null uses the default one.",
    needs: "project editor",
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({
      servers: z
        .array(z.enum(servers))
        .meta({ description: "Those that can be asked: `openai:<model>` or `anthropic:<model>`" }),
      default_model: z.string().nullable().meta({ description: "For agents that name none" }),
      problem: z
        .string()
        .nullable()
        .meta({ description: "What the operator has to set before an agent that names no model can use one" }),
    }),
    example: {},
    async run(_scope, _input, { events: { models } }) {
      const byDefault = models.find(null);
      const isMissing = "missing" in byDefault;
      return {
        servers: servers.filter((server) => !("missing" in models.find(`${server}:any`))),
        default_model: isMissing ? null : `${byDefault.provider}:${byDefault.model}`,
        problem: isMissing ? byDefault.missing : null,
      };
    },
  }),
];
