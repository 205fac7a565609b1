/** `#/steps/0/input/method` as "steps › 1 › input › method": people count from one. */
export const breadcrumbOf = (pointer: string): string =>
  pointer
    .replace(/^#?\//, "")
    .split("/")
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part))
    .join(" › ");
