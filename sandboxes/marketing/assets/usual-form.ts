import type { AssetContent } from "../records.ts";

/** The settings of a form that says nothing else. */
export const usualForm: AssetContent = {
  theme: "simple",
  language: "English",
  locale: "en_US",
  progressiveProfiling: false,
  labelPosition: "left",
  fontFamily: "Helvetica",
  fontSize: "13px",
  knownVisitor: { type: "form", template: null },
  buttonLocation: 120,
  buttonLabel: "Submit",
  waitingLabel: "Please Wait",
  thankYouList: [{ followupType: "none", followupValue: null, default: true }],
  fields: [],
};
