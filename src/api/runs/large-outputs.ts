import * as z from "zod";
import type { LargeOutput } from "../../runs/record/large-outputs.ts";

/** Large outputs: a run shows their beginning, and a handle reads the rest. */

export const largeOutput = z
  .object({
    handle: z.string().meta({ description: "Send it to `runs/{run_id}/output` to read the whole output" }),
    bytes: z.int(),
    preview: z.string().meta({ description: "How its JSON begins" }),
  })
  .meta({
    id: "LargeOutput",
    description: "Replaces an `output` above 128 KiB, or one after 2 MiB of other outputs; `output` is then null",
  });

export const showLarge = (handle: string, { bytes, preview }: LargeOutput): z.input<typeof largeOutput> => ({
  handle,
  bytes,
  preview,
});
