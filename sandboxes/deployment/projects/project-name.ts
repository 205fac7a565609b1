import { badRequest } from "../http/api-error.ts";

const nameLengthMax = 100;

export function requireProjectName(name: string): string {
  if (name.length > nameLengthMax)
    throw badRequest("Invalid request: `name` should NOT have more than 100 characters.");
  if (!/^[a-z0-9._-]+$/.test(name) || name.includes("---")) {
    throw badRequest(
      "Project names can be up to 100 characters long and must be lowercase. They can include letters, digits, and the following characters: '.', '_', '-'. However, they cannot contain the sequence '---'.",
    );
  }
  return name;
}
