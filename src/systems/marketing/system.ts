import type { Demand, System } from "../define.ts";
import { numberedId } from "../resource-ids.ts";
import { usedToday } from "./calls-used-today.ts";
import { secondsToMidnight } from "./central-midnight.ts";
import { answeredAt, codeOf, marketingFailure } from "./failure.ts";
import { marketingPresentation } from "./presentation.ts";
import { effectiveMethod, marketingPaths, resourcesOf } from "./protocol/endpoints.ts";
import { resolve } from "./protocol/resolve-names.ts";
import { marketingSignIn } from "./sign-in/sign-in.ts";

const burst = { max: 100, windowSeconds: 20 };
const concurrentMax = 10;
/** "At least 10,000 a day, commonly 50,000": how many a subscription has, only its owner knows. */
const dailyLeast = 10_000;
const dailyAdvice =
  "All tools of the instance share it. If the subscription allows another number of calls a day, an admin sets it as `daily_quota` of the connection.";

const subjectOf = (origin: string): string => `marketing|${origin}`;

export const marketing: System<"marketing"> = {
  id: "marketing",
  title: marketingPresentation.title,
  vendor: "Marketo",
  inSentence: "marketing automation",
  guide: { page: "marketo", title: "Marketo" },
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
  worksSecondsOf: ({ method, path }) => {
    if (path === "/rest/v1/leads.json") return method === "GET" ? 60 : 90;
    return /^\/rest\/v1\/lists?\/[^/]+\/leads\.json$/.test(path) ? 60 : 30;
  },
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
        systemCode: "606",
      },
      {
        ...one,
        name: "concurrent",
        kind: "concurrent",
        max: settings.concurrent_calls ?? concurrentMax,
        systemCode: "615",
      },
      {
        ...one,
        name: "daily",
        kind: "calendar",
        max: settings.daily_quota ?? dailyLeast,
        resets: { daily: "America/Chicago" },
        ...(settings.daily_quota === undefined ? { isAssumed: true } : {}),
        advice: dailyAdvice,
        systemCode: "607",
      },
    ];
  },
  /** No headers report limits: a refusal shows that one is exhausted, and `usage.json` what all tools have used today. */
  reportedLimits(answer, request, origin) {
    const used = request.path === "/rest/v1/stats/usage.json" ? usedToday(answer) : null;
    if (used !== null) {
      const nothingSaid = Number.MAX_SAFE_INTEGER;
      return [{ subject: subjectOf(origin), name: "daily", remaining: nothingSaid, usedSoFar: used }];
    }
    const code = codeOf(answer);
    const usedUp = { subject: subjectOf(origin), remaining: 0 };
    // Without a pause: a slot is free as soon as any call of any tool ends.
    if (code === "615") return [{ ...usedUp, name: "concurrent" }];
    if (code === "606") return [{ ...usedUp, name: "burst", resetsInSeconds: burst.windowSeconds }];
    if (code === "607") return [{ ...usedUp, name: "daily", resetsInSeconds: secondsToMidnight(answeredAt(answer)) }];
    return [];
  },
  effectiveMethod,
  policyKinds: { list: numberedId, campaign: numberedId },
  resources: resourcesOf,
  resolve,
};
