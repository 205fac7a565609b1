/** A JSON Pointer to a member or an item of what another pointer leads to. */
export const pointerTo = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
