import type { Demand, System } from "../define.ts";
import { secondsToMidnight } from "./central-midnight.ts";
import { effectiveMethod, marketingPaths, resourcesOf } from "./endpoints.ts";
import { answeredAt, codeOf, marketingFailure } from "./failure.ts";
import { resolve } from "./resolve.ts";
import { marketingSignIn } from "./sign-in.ts";

const burst = { max: 100, windowSeconds: 20 };
const concurrentMax = 10;
const dailyMax = 10_000;

const subjectOf = (origin: string): string => `marketing|${origin}`;

export const marketing: System<"marketing"> = {
  id: "marketing",
  title: "Marketing automation",
  vendor: "Marketo",
  words: [
    "marketo",
    "adobe",
    "engage",
    "leads",
    "campaigns",
    "e-mail",
    "email",
    "newsletter",
    "crm",
    "static lists",
    "programs",
  ],
  signIn: marketingSignIn,
  pathPrefix: marketingPaths.prefix,
  // "Server time-outs: 30 s; query by filter or list 60 s; sync leads 90 s."
  settlesWithinSeconds: 100,
  worksSecondsMax: 90,
  complete: (request) => request,
  failure: marketingFailure,
  /** The limits belong to the instance, for all of its API users; the identity service does not count. */
  demands(request, origin, { settings }): Demand[] {
    if (request.path.startsWith("/identity/")) return [];
    const one = { subject: subjectOf(origin), amount: 1 };
    return [
      {
        ...one,
        name: "burst",
        kind: "window",
        max: settings.burst_calls ?? burst.max,
        windowSeconds: burst.windowSeconds,
      },
      { ...one, name: "concurrent", kind: "concurrent", max: settings.concurrent_calls ?? concurrentMax },
      {
        ...one,
        name: "daily",
        kind: "calendar",
        max: settings.daily_quota ?? dailyMax,
        resets: { daily: "America/Chicago" },
      },
    ];
  },
  /** No headers report limits: only a refusal shows that one is exhausted. */
  reportedLimits(answer, _request, origin) {
    const code = codeOf(answer);
    const usedUp = { subject: subjectOf(origin), remaining: 0 };
    if (code === "606") return [{ ...usedUp, name: "burst", resetsInSeconds: burst.windowSeconds }];
    if (code === "607") return [{ ...usedUp, name: "daily", resetsInSeconds: secondsToMidnight(answeredAt(answer)) }];
    return [];
  },
  effectiveMethod,
  resources: resourcesOf,
  resolve,
};
