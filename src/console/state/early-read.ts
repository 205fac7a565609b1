/** Every page begins with the same read: who is signed in. It is sent while the program itself is still loading. */

const path = "/latest/auth/info";
let underWay: Promise<Response> | null = null;

export function askEarly(): void {
  const headers = { "content-type": "application/json" };
  underWay = fetch(path, { method: "POST", headers, body: "{}", credentials: "same-origin" });
  // The caller that takes it learns of a failure.
  underWay.catch(() => {});
}

/** The answer that is under way, once; null for any other read. */
export function takeEarly(url: string): Promise<Response> | null {
  if (url !== path) return null;
  const taken = underWay;
  underWay = null;
  return taken;
}
