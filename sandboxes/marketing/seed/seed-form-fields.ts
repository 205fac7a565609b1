import type { AssetContent } from "../records.ts";

/** A form with the fields that most have. */
export function seedFormFields(name: string): AssetContent {
  const lines: [id: string, label: string, dataType: string][] = [
    ["FirstName", "First Name:", "text"],
    ["LastName", "Last Name:", "text"],
    ["Email", "Email Address:", "email"],
  ];
  const fields = lines.map(([id, label, dataType], rowNumber) => ({
    id,
    label,
    dataType,
    validationMessage: "This field is required.",
    rowNumber,
    columnNumber: 0,
    required: id === "Email",
    formPrefill: true,
    visibilityRules: { ruleType: "alwaysShow" },
  }));
  return {
    theme: "simple",
    language: "English",
    locale: "en_US",
    progressiveProfiling: false,
    labelPosition: "left",
    fontFamily: "Helvetica",
    fontSize: "13px",
    knownVisitor: { type: "form", template: null },
    buttonLocation: 120,
    buttonLabel: name === "Newsletter" ? "Subscribe" : "Submit",
    waitingLabel: "Please Wait",
    thankYouList: [{ followupType: "none", followupValue: null, default: true }],
    fields,
  };
}
