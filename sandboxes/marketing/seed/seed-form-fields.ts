import { usualForm } from "../assets/usual-form.ts";
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
  return { ...usualForm, buttonLabel: name === "Newsletter" ? "Subscribe" : "Submit", fields };
}
