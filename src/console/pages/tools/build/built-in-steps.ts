import { waitSteps } from "../../../state/systems.ts";

/** What a tool can do beside calling steps: wait, and ask a person. Nothing is changed at a system. */

export interface ToolWord {
  title: string;
  summary: string;
  keywords: string;
  schema: Readonly<Record<string, unknown>>;
  input: Record<string, unknown>;
}

export const toolWords: Record<string, ToolWord> = {
  wait: {
    title: "Wait",
    summary: "Waits for some seconds, or until a time.",
    keywords: "pause delay sleep timer until",
    schema: {
      type: "object",
      properties: {
        seconds: { type: "number", title: "Seconds", description: "How long to wait.", minimum: 0 },
        until: {
          type: "string",
          title: "Until",
          description: "A time such as 2027-01-31T09:00:00Z, instead of seconds.",
        },
      },
    },
    input: { seconds: 60 },
  },
  ...Object.fromEntries(
    waitSteps.map(({ id, title, summary, keywords, schema }): [string, ToolWord] => [
      id,
      { title, summary, keywords, schema, input: {} },
    ]),
  ),
  approve: {
    title: "Ask for approval",
    summary: "Asks a person before the next step is sent. The approval is valid only for the request that was shown.",
    keywords: "approve approval person confirm human review",
    schema: {
      type: "object",
      required: ["message"],
      properties: {
        message: { type: "string", title: "Question", description: "What the person is asked." },
        role: { type: "string", enum: ["editor", "admin"], title: "Who may decide", description: "Default: editor." },
      },
    },
    input: { message: "Continue?" },
  },
};

export const isToolWord = (step: string): boolean => Object.hasOwn(toolWords, step);
