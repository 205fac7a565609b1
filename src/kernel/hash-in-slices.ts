import { createHash, type Hash, type Hmac } from "node:crypto";
import { isSlowToList } from "./large-objects.ts";
import { canonicalJson } from "./strict-json.ts";
import { giveWay, turnAlone } from "./work-in-slices.ts";
import { isLarge, type KnownLarge, sliceWeight } from "./write-in-slices.ts";

const sliceBytes = 512 * 1024;

/** Megabytes take a few milliseconds: the event loop turns between slices. */
export async function updateInSlices<H extends Hash | Hmac>(hash: H, bytes: Buffer): Promise<H> {
  const turn = giveWay();
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    hash.update(bytes.subarray(at, at + sliceBytes));
    const pause = turn();
    if (pause) await pause;
  }
  return hash;
}

/** The SHA-256 of `canonicalJson`, in hexadecimal digits. It visits and writes a slice at a time. */
export async function hashInSlices(value: unknown): Promise<string> {
  const turn = giveWay();
  const hash = createHash("sha256");
  const known: KnownLarge = new WeakSet();

  async function add(part: unknown): Promise<void> {
    if (typeof part === "string") return void (await updateInSlices(hash, Buffer.from(JSON.stringify(part))));
    if (part === null || typeof part !== "object" || !isLarge(part, sliceWeight, known))
      return void hash.update(canonicalJson(part));
    hash.update(Array.isArray(part) ? "[" : "{");
    await (Array.isArray(part) ? addItems(part) : addMembers(part as Record<string, unknown>));
    hash.update(Array.isArray(part) ? "]" : "}");
  }

  async function addItems(list: readonly unknown[]): Promise<void> {
    for (const [index, item] of list.entries()) {
      if (index > 0) hash.update(",");
      await addPart(item);
    }
  }

  async function addMembers(object: Record<string, unknown>): Promise<void> {
    if (isSlowToList(object)) await turnAlone();
    const names = Object.keys(object);
    let isFirst = true;
    // Sorted by code units, as by `<`.
    if (isSlowToList(object)) await turnAlone();
    for (const name of names.sort()) {
      if (object[name] === undefined) continue;
      hash.update(`${isFirst ? "" : ","}${JSON.stringify(name)}:`);
      isFirst = false;
      await addPart(object[name]);
    }
  }

  async function addPart(part: unknown): Promise<void> {
    const added = isLarge(part, sliceWeight, known) ? add(part) : hash.update(canonicalJson(part));
    if (added instanceof Promise) await added;
    const pause = turn();
    if (pause) await pause;
  }

  await add(value);
  return hash.digest("hex");
}
