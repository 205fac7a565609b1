import { createMarketingSandbox } from "../../sandboxes/marketing/marketing.ts";
import { serveSandbox } from "../../sandboxes/server/serve-sandbox.ts";

/** The marketing sandbox, its limits as they are, in a process of its own; tells its address when it is ready. */
const { url, stop } = await serveSandbox(createMarketingSandbox, 0);
process.send?.({ result: url });
process.once("SIGTERM", () => void stop().then(() => process.exit(0)));
