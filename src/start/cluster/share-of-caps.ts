import { type BodyLimits, defaultBodyLimits } from "../../http/edge/body-budget.ts";
import { defaultRunSizes, type RunMemorySizes } from "../../runs/queue/run-memory.ts";
import { type ComputeLimits, computeLimits } from "../../untrusted/compute-limits.ts";
import type { Config } from "../settings/config.ts";

/*
 * What one of several processes may use of a server's caps. A cap is divided, but never below what a single call or run
 * is promised: a body of the largest size, a run of the largest size.
 */

const mebibyte = 1024 * 1024;

const partOf = (whole: number, processes: number, least = 1): number =>
  processes === 1 ? whole : Math.max(least, Math.ceil(whole / processes));

/** The settings that count for all processes together, as each of them applies them. */
export const shareOfSettings = (config: Config): Config => ({
  ...config,
  connectionsMax: partOf(config.connectionsMax, config.processes),
  connectionsPerAddressMax: partOf(config.connectionsPerAddressMax, config.processes),
  models: { ...config.models, callsMax: partOf(config.models.callsMax, config.processes) },
});

export const shareOfBodies = (processes: number): BodyLimits => ({
  bytesMax: partOf(defaultBodyLimits.bytesMax, processes, 128 * mebibyte),
  anonymousBytesMax: partOf(defaultBodyLimits.anonymousBytesMax, processes, 16 * mebibyte),
  organizationBytesMax: partOf(defaultBodyLimits.organizationBytesMax, processes, 32 * mebibyte),
  addressBytesMax: defaultBodyLimits.addressBytesMax,
});

export const shareOfRunMemory = (processes: number): Partial<RunMemorySizes> => ({
  organizationMax: partOf(defaultRunSizes.organizationMax, processes, defaultRunSizes.runMax),
  allMax: partOf(defaultRunSizes.allMax, processes, 2 * defaultRunSizes.runMax),
});

/**
 * Two helpers each, so that one organization cannot hold them all. An organization gets a quarter of a core of each
 * process or its old share of the whole, whichever is more: on a machine with a core for each process, that is a quarter
 * of the machine at most.
 */
export const shareOfComputing = (processes: number): Partial<ComputeLimits> =>
  processes === 1
    ? {}
    : {
        processes: 2,
        coresEach: Math.max(computeLimits.coresEach / processes, 0.25),
        burstSeconds: Math.max(computeLimits.burstSeconds / processes, 10),
      };
