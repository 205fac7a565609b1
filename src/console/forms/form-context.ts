/** What a page gives to the fields of a form. */

export interface FieldMistakes {
  [path: string]: string[];
}

export interface FieldOption {
  value: string;
  label: string;
  hint?: string | undefined;
}

/** A value that an earlier step or the start of the tool provides. */
export interface PickableValue {
  /** What the template holds: `steps.latest.output.deployments[0].url`. */
  expression: string;
  label: string;
  /** The value in the last run, where one is known. */
  sample: unknown;
  hasSample: boolean;
}

export interface PickableGroup {
  title: string;
  values: PickableValue[];
}

export interface FormContext {
  /** Mistakes by the path of the field, joined with `/`. */
  mistakes?: FieldMistakes;
  /** Names of the fields that have live options. */
  options?: string[];
  /** Loads live options; null while no account is chosen. */
  loadOptions?: ((field: string, query: string) => Promise<FieldOption[]>) | null;
  /** Changes when `loadOptions` would answer differently: the account, or what it depends on. */
  optionsKey?: string;
  pickable?: PickableGroup[];
  /** The value of a template, as far as it is known without running anything. */
  preview?: (template: string) => { isKnown: boolean; value: unknown };
  isDisabled?: boolean;
}

export const isTemplate = (value: unknown): value is string => typeof value === "string" && value.includes("{{");
