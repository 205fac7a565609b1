import { analyticsPresentation } from "./analytics/presentation.ts";
import { deploymentPresentation } from "./deployment/presentation.ts";
import type { SystemId } from "./index.ts";
import { marketingPresentation } from "./marketing/presentation.ts";
import type { Presentation } from "./presentation.ts";

/** How the console shows each system. It is apart from `index.ts` because a browser needs no steps. */
export const presentations: Readonly<Record<SystemId, Presentation>> = {
  marketing: marketingPresentation,
  deployment: deploymentPresentation,
  analytics: analyticsPresentation,
};
