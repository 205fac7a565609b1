export function ownPath(text: string | null, origin: string): string | null;
