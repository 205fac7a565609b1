import { registerHooks } from "node:module";

/**
 * better-auth traces its work through OpenTelemetry where that is installed. From this folder it would find the copy
 * that one of Signalbox's dependencies brings, and be slower for it. It is measured as it is by itself.
 */
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith("@opentelemetry/")) throw new Error(`${specifier} is not here for better-auth.`);
    return next(specifier, context);
  },
});
