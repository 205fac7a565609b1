import { createClock } from "../server/clock.ts";
import type { CreateSandbox, SandboxCall } from "../server/sandbox.ts";
import { createCallLimits } from "./gateway/call-limits.ts";
import { fullClient, powerlessClient, readOnlyClient } from "./gateway/clients.ts";
import { createGateway } from "./gateway/gateway.ts";
import { changeSettings, defaultSettings } from "./gateway/settings.ts";
import { createTokens } from "./gateway/tokens.ts";
import { seedInstance } from "./seed/seed-instance.ts";

/** A marketing automation system (compatible with Adobe Marketo Engage REST), in memory. */
export const createMarketingSandbox: CreateSandbox = (baseUrl) => {
  const clock = createClock();
  const settings = { ...defaultSettings };
  // Tokens outlive a reset: a caller that holds one need not notice.
  const tokens = createTokens(settings, clock.now);
  let limits = createCallLimits(settings, clock.now);
  let seeded = seedInstance(clock.now());
  const oneTooMany = new WeakSet<SandboxCall>();
  const handle = createGateway({
    settings,
    tokens,
    clock,
    instance: () => seeded.instance,
    limits: () => limits,
    isOneTooMany: (call) => oneTooMany.has(call),
  });

  return {
    system: "marketing",
    clock,
    arrive(call) {
      if (call.path.startsWith("/identity/")) return () => {};
      const current = limits;
      if (current.enter()) return () => current.leave();
      oneTooMany.add(call);
      return () => {};
    },
    handle(call) {
      if (settings.latency_ms === 0) return handle(call);
      return new Promise((resolve) => setTimeout(resolve, settings.latency_ms)).then(() => handle(call));
    },
    describe: () => ({
      credentials: {
        client_id: fullClient.id,
        client_secret: fullClient.secret,
        rest_endpoint: `${baseUrl}/rest`,
        read_only: { client_id: readOnlyClient.id, client_secret: readOnlyClient.secret },
        no_permissions: { client_id: powerlessClient.id, client_secret: powerlessClient.secret },
      },
      ids: seeded.ids,
      limits: settings,
    }),
    reset() {
      Object.assign(settings, defaultSettings);
      limits = createCallLimits(settings, clock.now);
      seeded = seedInstance(clock.now());
    },
    setLimits({ revoke_tokens: revoke, ...wanted }) {
      if (revoke !== undefined && revoke !== true) return "`revoke_tokens` is true: every token given out so far ends.";
      const problem = changeSettings(settings, wanted);
      if (problem === null && revoke) tokens.revokeAll();
      return problem;
    },
    stop: () => clock.stop(),
  };
};
