export { type Named, nearest } from "../../kernel/nearest.ts";
