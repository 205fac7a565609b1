/** A refusal in the vendor's own words: a code (always text) and a message, for the envelope or for one row of a result. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const reasonOf = ({ code, message }: Refusal) => ({ code, message });

// The refusals that several calls share; a message used once stands where it is used.
export const missingParameter = (name: string) => new Refusal("1002", `Missing value for required parameter '${name}'`);
export const wrongType = (value: string, type: string) =>
  new Refusal("1001", `Invalid value '${value}'. Required of type '${type}'`);
export const invalidValue = (field: string, value: unknown) =>
  new Refusal("1003", `Invalid value for field '${field}' and value '${wireText(value)}'`);
export const fieldNotFound = (name: string) => new Refusal("1006", `Field '${name}' not found`);
export const fieldNotSupported = (name: string) => new Refusal("1011", `Field '${name}' not supported`);
export const leadNotFound = () => new Refusal("1004", "Lead not found");
export const invalidJson = () => new Refusal("609", "Invalid JSON");
export const blank = (name: string) => new Refusal("701", `${name} cannot be blank`);

const wireText = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
