import type { Attribute } from "../schema/attribute-types.ts";

/**
 * Returns a value in the form in which filters, the store and PATCH paths compare it. Null if the attribute cannot hold
 * it.
 */
export function comparable(attribute: Attribute, value: string | number | boolean): string | null {
  switch (attribute.type) {
    case "boolean": {
      const word = String(value).toLowerCase();
      return word === "true" || word === "false" ? word : null;
    }
    case "dateTime": {
      const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
      return Number.isNaN(time) ? null : new Date(time).toISOString();
    }
    case "complex":
      return null;
    default: {
      const text = String(value).toWellFormed();
      return attribute.caseExact ? text : text.toLowerCase();
    }
  }
}
