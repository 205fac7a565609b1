/** A short word for a request, so that an answer in the address names what it answers. FNV-1a: it tells apart, it protects nothing. */
export function fingerprintOf(request: unknown): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(request) ?? "") {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
