import type { Measured } from "../targets/target.ts";
import { type Line, lineOf } from "./table.ts";

export const ratesOf = (figures: Measured[]): number[] => figures.map((figure) => figure.perSecond);

/**
 * The same comparison twice: by what was answered in a second, and by the CPU that each answer took. The second is the
 * steadier one: whatever else runs on the machine takes time from a server, and hardly changes what its work costs.
 */
export function byRateAndCpu(
  what: string,
  ours: Measured[],
  peerName: string,
  theirs: Measured[],
  goal: { rate: number | null; cpu: number | null },
): Line[] {
  const byRate = lineOf(what, "/s", ratesOf(ours), { name: peerName, figures: ratesOf(theirs) }, goal.rate);
  const cpu = (figures: Measured[]) => figures.map((figure) => figure.cpuMicroseconds ?? Number.NaN);
  const isKnown = [...ours, ...theirs].every((figure) => figure.cpuMicroseconds !== null);
  if (!isKnown) return [byRate];
  return [byRate, lineOf(`${what}, CPU of each`, "µs", cpu(ours), { name: peerName, figures: cpu(theirs) }, goal.cpu)];
}
