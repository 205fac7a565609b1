import type { OptionSource } from "../../define.ts";
import { send } from "../../work.ts";
import { buildRequest } from "../protocol/build-request.ts";
import { isRecord } from "../protocol/endpoints.ts";
import { rowsOf } from "../protocol/rows.ts";

const describe = { path: "/rest/v1/leads/describe.json", query: {} };
const shownMax = 200;
/** A lead has some hundred. */
const fieldsMax = 5_000;
const charactersMax = 200;

/** "Custom fields can be asked for by name from a drop-down": the account's own description of a lead. */
export const fieldOptions: OptionSource = {
  *work({ query, after }) {
    const { body } = yield* send(buildRequest({ method: "GET", target: describe }));
    const words = query.toLowerCase().split(/\s+/);
    const found = rowsOf(body)
      .slice(0, fieldsMax)
      .filter(isRecord)
      .flatMap(({ rest, displayName, dataType }) => {
        const name = isRecord(rest) && typeof rest.name === "string" ? rest.name.slice(0, charactersMax) : null;
        if (name === null) return [];
        const label = typeof displayName === "string" ? displayName.slice(0, charactersMax) : name;
        return [{ value: name, label, hint: `${name}, ${String(dataType).slice(0, charactersMax)}` }];
      })
      .filter(({ label, hint }) => {
        const text = `${label} ${hint}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
    const from = Number(after ?? 0);
    const to = from + shownMax;
    return { options: found.slice(from, to), next: to < found.length ? String(to) : null };
  },
};
