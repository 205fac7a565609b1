/** A JSON object that a person typed, or what is wrong with it. */
export function readParams(text: string): { value: Record<string, unknown> } | { mistake: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { mistake: "This has to be a JSON object: { … }." };
  } catch (error) {
    return { mistake: `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
}
