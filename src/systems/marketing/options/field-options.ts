import type { OptionSource } from "../../define.ts";
import { send } from "../../work.ts";
import { buildRequest } from "../protocol/build-request.ts";
import { isRecord } from "../protocol/endpoints.ts";
import { rowsOf } from "../protocol/rows.ts";

const describe = { path: "/rest/v1/leads/describe.json", query: {} };
const shownMax = 200;

/** "Custom fields can be asked for by name from a drop-down": the account's own description of a lead. */
export const fieldOptions: OptionSource = {
  *work({ query, after }) {
    const { body } = yield* send(buildRequest({ method: "GET", target: describe }));
    const words = query.toLowerCase().split(/\s+/);
    const found = rowsOf(body)
      .filter(isRecord)
      .flatMap(({ rest, displayName, dataType }) => {
        const name = isRecord(rest) && typeof rest.name === "string" ? rest.name : null;
        if (name === null) return [];
        const label = typeof displayName === "string" ? displayName : name;
        return [{ value: name, label, hint: `${name}, ${dataType}` }];
      })
      .filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)));
    const from = Number(after ?? 0);
    const to = from + shownMax;
    return { options: found.slice(from, to), next: to < found.length ? String(to) : null };
  },
};
