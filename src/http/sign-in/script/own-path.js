/**
 * Where somebody goes on after a sign-in: a path of this site, or null for everything else. One rule for the pages and for the
 * server's own redirects. The text is read as a browser reads it, and what it means decides, not how it looks: `/.//host` is a path of
 * ours that is written back as `//host`, which is another site's address.
 */
export function ownPath(text, origin) {
  if (typeof text !== "string" || text.length > 500 || !text.startsWith("/")) return null;
  // Browsers leave tabs and line breaks out of an address, and take a backslash for a slash.
  if (/[\p{Cc}\\]/u.test(text)) return null;
  const url = read(text, origin);
  if (url === null || url.origin !== origin) return null;
  const path = url.pathname + url.search + url.hash;
  // What is handed on is read once more, and has to mean the same.
  return /^\/(?!\/)/.test(path) && read(path, origin)?.href === url.href ? path : null;
}

function read(text, origin) {
  try {
    return new URL(text, origin);
  } catch {
    return null;
  }
}
