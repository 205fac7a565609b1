import * as z from "zod";
import { samples as shown } from "../../systems/samples.ts";
import { idField } from "../shared-fields.ts";

const namedStep = z.strictObject({
  step: idField.meta({ description: `Such as \`${shown.reading.step}\`` }),
  connection_id: idField.meta({ description: "The connected account that the step uses" }),
});

export const agentSteps = z
  .array(z.union([idField, namedStep]))
  .max(100)
  .meta({
    description:
      "Steps that it may use, each with an account: `{step, connection_id}`, or only the step's id if the project has one account of its system",
  });
