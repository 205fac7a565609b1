import { remedyFor } from "./remedies.ts";

export const Remedy = (problem: { code: string; remedy: string }) => <div>{remedyFor(problem)}</div>;
