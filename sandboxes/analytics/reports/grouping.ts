import type { EventSet } from "../events/event-set.ts";
import { columnReader } from "./columns.ts";
import type { Dimension, LabelContext } from "./dimension.ts";

/** What a report asks for as one dimension: a field, or an expression over fields. */
export interface AskedDimension {
  name: string;
  fields: Dimension[];
  /** Makes the value out of the fields' values. */
  combine: (values: string[]) => string;
}

/** One value for each of the events, as a number that stands for a label. */
export interface LabelledEvents {
  codes: Int32Array;
  labels: string[];
}

/** Events divided into groups: a group number for each event, and the labels of each group. */
export interface Groups {
  ids: Int32Array;
  keys: string[][];
}

export function labelField(
  set: EventSet,
  events: Uint32Array,
  field: Dimension,
  context: LabelContext,
): LabelledEvents {
  const read = columnReader(set, field.column);
  const codes = new Int32Array(events.length);
  const labels: string[] = [];
  const numberOfLabel = new Map<string, number>();
  // Different codes can share a label (a source has several media), so a code leads to the label's number.
  const numberOfCode = new CodeTable();
  for (let at = 0; at < events.length; at++) {
    const code = read(events[at] ?? 0);
    let number = numberOfCode.get(code);
    if (number < 0) {
      const label = field.label(code, context);
      number = numberOfLabel.get(label) ?? labels.push(label) - 1;
      numberOfLabel.set(label, number);
      numberOfCode.set(code, number);
    }
    codes[at] = number;
  }
  return { codes, labels };
}

export function labelDimension(
  set: EventSet,
  events: Uint32Array,
  asked: AskedDimension,
  context: LabelContext,
): LabelledEvents {
  const parts = asked.fields.map((field) => labelField(set, events, field, context));
  const only = parts[0];
  if (only && parts.length === 1)
    return { codes: only.codes, labels: only.labels.map((label) => asked.combine([label])) };
  const groups = divide(events.length, parts);
  return { codes: groups.ids, labels: groups.keys.map(asked.combine) };
}

/**
 * Combines dimension after dimension; a group number never passes the number of events, however many values there are.
 * A group remembers the group it came from, and its labels are only put together at the end: most of the time was spent on them.
 */
export function divide(eventCount: number, parts: LabelledEvents[]): Groups {
  const ids = new Int32Array(eventCount);
  let groupCount = eventCount > 0 ? 1 : 0;
  const levels = parts.map(({ codes, labels }) => {
    const numberOfPair = new CodeTable();
    const parents: number[] = [];
    const own: string[] = [];
    const base = labels.length;
    for (let at = 0; at < eventCount; at++) {
      const before = ids[at] ?? 0;
      const code = codes[at] ?? 0;
      const pair = before * base + code;
      let number = numberOfPair.get(pair);
      if (number < 0) {
        number = parents.push(before) - 1;
        own.push(labels[code] ?? "");
        numberOfPair.set(pair, number);
      }
      ids[at] = number;
    }
    groupCount = parents.length;
    return { parents, own };
  });
  const keys = Array.from({ length: groupCount }, (_, group) => {
    const key = new Array<string>(levels.length);
    let at = group;
    for (let level = levels.length - 1; level >= 0; level--) {
      key[level] = levels[level]?.own[at] ?? "";
      at = levels[level]?.parents[at] ?? 0;
    }
    return key;
  });
  return { ids, keys };
}

const smallCodesMax = 1 << 18;

/** Numbers by code: a flat table for small codes, a map for the rest. -1 where there is none yet. */
class CodeTable {
  private flat = new Int32Array(1024).fill(-1);
  private readonly large = new Map<number, number>();

  get(code: number): number {
    if (code < this.flat.length) return this.flat[code] ?? -1;
    return this.large.get(code) ?? -1;
  }

  set(code: number, number: number): void {
    if (code >= smallCodesMax) this.large.set(code, number);
    else {
      if (code >= this.flat.length) this.widen(code);
      this.flat[code] = number;
    }
  }

  private widen(code: number): void {
    const wider = new Int32Array(2 ** Math.ceil(Math.log2(code + 1))).fill(-1);
    wider.set(this.flat);
    this.flat = wider;
  }
}
