import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { parseInSlices, tooDeep } from "../kernel/parse-in-slices.ts";
import { JsonTooLarge } from "../kernel/strict-json.ts";
import { nextTurn } from "../kernel/work-in-slices.ts";
import type { Answer } from "../systems/work.ts";
import { sizeOfJson } from "../untrusted/value-size.ts";
import { keptHeaders } from "./headers.ts";
import { largeBytes } from "./memory-of-large-answers.ts";
import { withoutEcho, withoutEchoInSlices } from "./remove-echoed-credential.ts";
import { SendFailed } from "./send-failed.ts";
import type { RawAnswer, WireRequest } from "./send-over-connection.ts";

/** 10 MiB of decompressed body. */
export const answerBytesMax = 10 * 1024 * 1024;
const ratioMax = 100;
/** Small answers may compress well: a megabyte is harmless, and reports full of zeros exist. */
const ratioFreeBytes = 1024 * 1024;
/** A smaller compressed body decompresses to a megabyte at most. */
const packedBytes = ratioFreeBytes / ratioMax;
const depthMax = 100;

const unpack = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
]);

export type ReadLimits = Pick<WireRequest, "bytesMax" | "onLarge">;

/**
 * Decompresses, decodes and parses, each within its limits. A body that claims to be JSON but is not stays text. If the
 * request carried a `secret`, it is removed from the answer.
 */
export function readAnswer(received: RawAnswer, limits: ReadLimits, secret?: string): Answer | Promise<Answer> {
  const { headers, body } = received;
  const encoding = headers["content-encoding"];
  if (encoding === undefined || body.length === 0) return toAnswer(received, body, limits, secret);
  return decompress(body, String(encoding), limits).then((bytes) => toAnswer(received, bytes, limits, secret));
}

/** Larger bodies are read in slices: reading 10 MiB at once would block the event loop for a second. */
const parseAtOnceBytesMax = 512 * 1024;
/** As many values as 10 MiB of an ordinary report have; 10 MiB of `{}` would take half a gigabyte. */
const weightMax = 4_000_000;
const membersMax = 50_000;

function toAnswer(
  received: RawAnswer,
  bytes: Buffer,
  limits: ReadLimits,
  secret: string | undefined,
): Answer | Promise<Answer> {
  if (bytes.length > largeBytes) return toLargeAnswer(received, bytes, limits, secret);
  const { status, headers } = received;
  const text = bytes.toString("utf8");
  const body = isJson(headers["content-type"]) ? parse(text) : text;
  const answer = { status, headers: keptHeaders(headers), body, bytes: bytes.length };
  return secret === undefined ? answer : withoutEcho(answer, text, secret);
}

async function toLargeAnswer(
  { status, headers }: RawAnswer,
  bytes: Buffer,
  { onLarge }: ReadLimits,
  secret: string | undefined,
): Promise<Answer> {
  await nextTurn();
  const text = bytes.toString("utf8");
  const isParsed = isJson(headers["content-type"]);
  await onLarge?.(isParsed ? await memoryOf(text) : 2 * text.length);
  const body = isParsed ? await parseLarge(text) : text;
  await nextTurn();
  const answer = { status, headers: keptHeaders(headers), body, bytes: bytes.length };
  return secret === undefined ? answer : withoutEchoInSlices(answer, text, secret);
}

/** A list or an object counts as two of the values that are read, and takes up 56 bytes. */
const bytesOfValue = 28;
/** A text with more values is refused. */
const memoryOf = async (text: string): Promise<number> =>
  Math.min((await sizeOfJson(text)).memory, 2 * text.length + weightMax * bytesOfValue);

async function parseLarge(text: string): Promise<unknown> {
  if (text.length <= parseAtOnceBytesMax) return parse(text);
  try {
    return await parseInSlices(withoutMark(text), { depth: depthMax, weight: weightMax, members: membersMax });
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    if (!(error instanceof JsonTooLarge)) throw error;
    const isDeep = error.message === tooDeep;
    throw new SendFailed(
      isDeep ? "unreadable" : "too large",
      "maybe",
      isDeep ? deepText : "The response has too many values.",
    );
  }
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
const deepText = `The response is nested deeper than ${depthMax} levels.`;

/**
 * Output bytes are counted as they appear, and the first one above the limit stops decompression: a bomb costs no more
 * than the limit. All compressed bytes are known by now, so the ratio limits it too.
 */
async function decompress(body: Buffer, encoding: string, { bytesMax, onLarge }: ReadLimits): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === "identity") return body;
  const run = unpack.get(name);
  if (!run) throw new SendFailed("unreadable", "maybe", "The response is compressed in a way that was not requested.");
  const maxOutputLength = Math.min(bytesMax, Math.max(body.length * ratioMax, ratioFreeBytes));
  if (body.length > packedBytes) await onLarge?.(body.length + maxOutputLength);
  try {
    return await run(body, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new SendFailed(
        "too large",
        "maybe",
        `The response is larger than ${maxOutputLength} bytes once decompressed.`,
      );
    }
    throw new SendFailed("unreadable", "maybe", "The compressed response is damaged.", { cause: error });
  }
}

const isJson = (contentType: string | string[] | undefined): boolean =>
  typeof contentType === "string" && /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(text));
  } catch {
    // It says that it is JSON and is not: the step sees the text.
    return text;
  }
  if (mayBeDeep(text) && isDeeper(value, depthMax)) {
    throw new SendFailed("unreadable", "maybe", deepText);
  }
  return value;
}

/** Every level has a bracket, and searching for brackets is far cheaper than visiting every value. */
function mayBeDeep(text: string): boolean {
  let opened = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++opened > depthMax) return true;
    }
  }
  return false;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
