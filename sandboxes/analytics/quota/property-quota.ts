import type { Clock } from "../../server/clock.ts";
import { localTime } from "../events/calendar.ts";
import { ApiError } from "../wire/api-error.ts";
import type { AdjustableLimits } from "./limits.ts";

export type QuotaCategory = "core" | "realtime";

/** What one property has used of one category. Days end at midnight Pacific time, hours on the hour. */
interface Bucket {
  day: number;
  hour: number;
  tokensOfDay: number;
  tokensOfHour: number;
  tokensOfProjectHour: number;
  thresholdedOfHour: number;
  serverErrorsOfHour: number;
  inFlight: number;
}

export interface PropertyQuota {
  /** Takes one of the concurrent slots; the returned function releases it. */
  enter(propertyId: string, category: QuotaCategory): () => void;
  /** Takes tokens and answers the `propertyQuota` block as it stands afterwards. */
  charge(propertyId: string, category: QuotaCategory, tokens: number, isThresholded: boolean): object;
  countServerError(propertyId: string, category: QuotaCategory): void;
  reset(): void;
}

const hourMilliseconds = 3_600_000;
const quotaPage = "https://developers.google.com/analytics/devguides/reporting/data/v1/quotas";

export function createPropertyQuota(adjustableLimits: AdjustableLimits, clock: Clock): PropertyQuota {
  const buckets = new Map<string, Bucket>();

  function bucketOf(propertyId: string, category: QuotaCategory): Bucket {
    const key = `${propertyId} ${category}`;
    const day = localTime("America/Los_Angeles", clock.now()).day;
    const hour = Math.floor(clock.now() / hourMilliseconds);
    const bucket = buckets.get(key) ?? emptyBucket();
    buckets.set(key, bucket);
    if (bucket.day !== day) Object.assign(bucket, { day, tokensOfDay: 0 });
    if (bucket.hour !== hour) {
      Object.assign(bucket, {
        hour,
        tokensOfHour: 0,
        tokensOfProjectHour: 0,
        thresholdedOfHour: 0,
        serverErrorsOfHour: 0,
      });
    }
    return bucket;
  }

  function figures(category: QuotaCategory) {
    const limits = adjustableLimits.current();
    const isCore = category === "core";
    return {
      ...limits,
      day: isCore ? limits.tokens_per_day : limits.realtime_tokens_per_day,
      hour: isCore ? limits.tokens_per_hour : limits.realtime_tokens_per_hour,
      projectHour: isCore ? limits.tokens_per_project_per_hour : limits.realtime_tokens_per_project_per_hour,
    };
  }

  return {
    enter(propertyId, category) {
      const bucket = bucketOf(propertyId, category);
      const limits = figures(category);
      if (bucket.serverErrorsOfHour >= limits.server_errors_per_project_per_hour) {
        throw exhausted(
          "Exhausted server errors quota.",
          "This project is blocked on this property for up to an hour.",
        );
      }
      if (bucket.inFlight >= limits.concurrent_requests) {
        throw exhausted("Exhausted concurrent requests quota.", "Please send fewer requests at the same time.");
      }
      bucket.inFlight++;
      let isHeld = true;
      return () => {
        if (isHeld) bucket.inFlight = Math.max(0, bucket.inFlight - 1);
        isHeld = false;
      };
    },

    charge(propertyId, category, tokens, isThresholded) {
      const bucket = bucketOf(propertyId, category);
      const limits = figures(category);
      const thresholded = isThresholded ? 1 : 0;
      if (bucket.tokensOfDay + tokens > limits.day) {
        throw exhausted(
          "Exhausted property tokens for a property per day.",
          "These quota tokens will return in under 24 hours.",
        );
      }
      if (bucket.tokensOfHour + tokens > limits.hour) {
        throw exhausted(
          "Exhausted property tokens for a property per hour.",
          "These quota tokens will return in under 60 minutes.",
        );
      }
      if (bucket.tokensOfProjectHour + tokens > limits.projectHour) {
        throw exhausted(
          "Exhausted property tokens for a project per hour.",
          "These quota tokens will return in under 60 minutes.",
        );
      }
      if (bucket.thresholdedOfHour + thresholded > limits.thresholded_requests_per_hour) {
        throw exhausted(
          "Exhausted potentially thresholded requests quota.",
          "This quota will return in under 60 minutes.",
        );
      }
      bucket.tokensOfDay += tokens;
      bucket.tokensOfHour += tokens;
      bucket.tokensOfProjectHour += tokens;
      bucket.thresholdedOfHour += thresholded;
      const status = (consumed: number, limit: number, used: number) => ({
        consumed,
        remaining: Math.max(0, limit - used),
      });
      return {
        tokensPerDay: status(tokens, limits.day, bucket.tokensOfDay),
        tokensPerHour: status(tokens, limits.hour, bucket.tokensOfHour),
        // This request is done by the time the answer is read, so it holds no slot.
        concurrentRequests: status(0, limits.concurrent_requests, Math.max(0, bucket.inFlight - 1)),
        serverErrorsPerProjectPerHour: status(0, limits.server_errors_per_project_per_hour, bucket.serverErrorsOfHour),
        potentiallyThresholdedRequestsPerHour: status(
          thresholded,
          limits.thresholded_requests_per_hour,
          bucket.thresholdedOfHour,
        ),
        tokensPerProjectPerHour: status(tokens, limits.projectHour, bucket.tokensOfProjectHour),
      };
    },

    countServerError(propertyId, category) {
      bucketOf(propertyId, category).serverErrorsOfHour++;
    },

    reset: () => buckets.clear(),
  };
}

const emptyBucket = (): Bucket => ({
  day: 0,
  hour: 0,
  tokensOfDay: 0,
  tokensOfHour: 0,
  tokensOfProjectHour: 0,
  thresholdedOfHour: 0,
  serverErrorsOfHour: 0,
  inFlight: 0,
});

/** No Retry-After: the vendor sends none. */
const exhausted = (what: string, when: string): ApiError =>
  new ApiError("RESOURCE_EXHAUSTED", `${what} ${when} To learn more, see ${quotaPage}`);

/** Fits what was recorded of the real service: days, and columns beyond the first few. */
export const tokenCost = ({
  days,
  dimensions,
  metrics,
}: {
  days: number;
  dimensions: number;
  metrics: number;
}): number => 1 + Math.floor(days / 60) + Math.ceil(Math.max(0, dimensions * metrics - 3) / 32);
