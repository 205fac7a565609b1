import { shapes, textOf } from "./values.ts";

/** What a system or a model can answer, of any size. */

const rows =
  (row: string) =>
  (bytes: number): string =>
    `[${`${row},`.repeat(Math.floor(bytes / (row.length + 1)) - 1)}${row}]`;

const textOfBytes = (unit: string) => (bytes: number) => {
  const bytesEach = Buffer.byteLength(JSON.stringify(unit)) - 2;
  return JSON.stringify(textOf(unit, (bytes / bytesEach) * unit.length));
};

export const answers: Record<string, (bytes: number) => string> = {
  ...shapes,
  people: rows(
    '{"id":1234567,"email":"somebody@example.com","updatedAt":"2026-01-01T00:00:00Z","url":"https://a/?b=c"}',
  ),
  "rows of a report": rows('{"dimensionValues":[{"value":"20260101"}],"metricValues":[{"value":"12"}]}'),
  "very short texts": rows('":"'),
  "fields of secrets": rows('{"password":"x","token":["y"]}'),
  "texts like keys": rows('"Bearer sbk_us_abcdef"'),
  "half a token without end": textOfBytes("eyJ-"),
  "fields within a text": textOfBytes("access_token=x "),
  "quotes within a text": textOfBytes('password="\\'),
};

const completionOf = (message: object): string =>
  JSON.stringify({
    ...{ id: "chatcmpl-1", object: "chat.completion", model: "silent", created: 1_730_000_000 },
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "", ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

const callOf = (id: number, text: string) => ({
  id: `${id}`,
  type: "function",
  function: { name: "a", arguments: text },
});

/** What a model can answer too much of. */
export const completions: Record<string, () => string> = {
  "20,000 calls": () => completionOf({ tool_calls: Array.from({ length: 20_000 }, (_, index) => callOf(index, "{}")) }),
  "arguments 500,000 deep": () => completionOf({ tool_calls: [callOf(1, "[".repeat(500_000) + "]".repeat(500_000))] }),
  "arguments of 300,000 values": () => completionOf({ tool_calls: [callOf(1, `[${"0,".repeat(300_000)}0]`)] }),
  "a long text": () => completionOf({ content: "<a/>".repeat(450_000) }),
  "ten megabytes": () => completionOf({ content: "x".repeat(10_000_000) }),
};
