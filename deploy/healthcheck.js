// For containers: succeeds if the first region that this process serves is ready.
const [region = "us"] = (process.env.SIGNALBOX_REGIONS || "us").split(",");
const port =
  Number(process.env.SIGNALBOX_PORT || 4100) + Math.max(0, ["us", "eu", "au"].indexOf(region.trim().toLowerCase()));
const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(ready ? 0 : 1);
