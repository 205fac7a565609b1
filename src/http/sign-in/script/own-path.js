/**
 * Where somebody goes on after a sign-in: a path of this site, or null for everything else. One rule for the pages and for the
 * server's own redirects. The text is read as a browser reads it, and what it means decides, not how it looks: `/.//host` is a path of
 * ours that is written back as `//host`, which is another site's address. The pages of a consent are refused: a browser that our sign-in
 * leads there looks as if its person had begun the consent.
 */
export function ownPath(text, origin) {
  if (typeof text !== "string" || text.length > 500 || !text.startsWith("/")) return null;
  // Browsers leave tabs and line breaks out of an address, and take a backslash for a slash.
  if (/[\p{Cc}\\]/u.test(text)) return null;
  const url = read(text, origin);
  if (url === null || url.origin !== origin || isConsentPage(url.pathname)) return null;
  const path = url.pathname + url.search + url.hash;
  // What is handed on is read once more, and has to mean the same.
  return /^\/(?!\/)/.test(path) && read(path, origin)?.href === url.href ? path : null;
}

/** The server decodes a path before it looks for its page. */
function isConsentPage(pathname) {
  const decoded = pathname.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return /^\/oauth\/(start|callback)\b/i.test(decoded);
}

function read(text, origin) {
  try {
    return new URL(text, origin);
  } catch {
    return null;
  }
}
