import { type EventName, eventCode, items } from "../events/site.ts";
import { type ColumnName, detailRadix } from "./columns.ts";
import { type Dimension, type LabelContext, notSet } from "./dimension.ts";

export type Label = (code: number, context: LabelContext) => string;
export type DimensionRow = [apiName: string, uiName: string, description: string, label: Label];

/** Dimensions in lines: those that stand on one column and share a category. */
export const dimensionFields = (
  column: ColumnName,
  category: string,
  rows: DimensionRow[],
  more: Partial<Dimension> = {},
): Dimension[] =>
  rows.map(([apiName, uiName, description, label]) => ({
    apiName,
    uiName,
    category,
    description,
    column,
    label,
    ...more,
  }));

export const isEvent = (code: number, name: EventName): boolean => Math.floor(code / detailRadix) === eventCode(name);

/** A parameter that only some events carry. */
export function parameter(names: EventName[], values: readonly string[], otherwise = notSet): Label {
  const codes = new Set(names.map(eventCode));
  return (code) => (codes.has(Math.floor(code / detailRadix)) ? (values[code % detailRadix] ?? notSet) : otherwise);
}

/** A trait of the item that an event is about. */
export const ofItem = (label: (item: (typeof items)[number]) => string): Label => {
  return (code) => {
    const found = items[code - 1];
    return found ? label(found) : notSet;
  };
};
