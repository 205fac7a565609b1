import { badRequest, invalid } from "../wire/api-error.ts";
import { toCamel, toSnake } from "../wire/proto-json.ts";

/** Reads `updateMask` in either spelling. `*` stands for everything that can be changed. */
export function readUpdateMask(query: URLSearchParams, mutable: readonly string[], known: readonly string[]): string[] {
  const text = query.get("updateMask") ?? query.get("update_mask") ?? "";
  const paths = text
    .split(",")
    .map((path) => path.trim())
    .filter(Boolean);
  if (paths.length === 0) throw invalid("The update_mask field is required and must name at least one field.");
  if (paths.includes("*")) return [...mutable];
  return paths.map((path) => {
    // A mask may point into a field; the whole field is meant here.
    const field = toCamel(path.split(".")[0] ?? "");
    if (mutable.includes(field)) return field;
    if (known.includes(field))
      throw invalid(`The field ${toSnake(field)} is immutable or output only and cannot be in update_mask.`);
    const description = `Invalid value at 'update_mask' (type.googleapis.com/google.protobuf.FieldMask), "${path}"`;
    throw badRequest([{ field: "update_mask", description }]);
  });
}
