import { type ApiRequest, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import type { Context } from "../instance.ts";
import { fieldsByName } from "../leads/fields.ts";
import type { AssetContent } from "../records.ts";
import { notFound, requireField, requireForm } from "./asset-request.ts";
import { changeDraft, type DraftedKind, draftedRoutes, requireAsset, statusOf, versionOf } from "./drafted-assets.ts";
import { reads, writes } from "./route-lines.ts";
import { usualForm } from "./usual-form.ts";

type FormField = Record<string, unknown> & { id: string };

const forms: DraftedKind = {
  title: "Form",
  word: "form",
  mark: "FO",
  table: ({ forms }) => forms,
  readContent(request, before) {
    const content: AssetContent = { ...usualForm, ...before };
    for (const name of ["theme", "language", "locale", "labelPosition", "fontFamily", "fontSize"])
      content[name] = textOf(request, name) ?? content[name];
    content.theme = textOf(request, "formTheme") ?? content.theme;
    content.progressiveProfiling =
      (textOf(request, "progressiveProfiling") ?? String(content.progressiveProfiling)) === "true";
    return content;
  },
  shown: ({ fields, ...content }) => ({ ...content, workspaceId: 1 }),
};

const fieldsIn = (content: AssetContent): FormField[] => (content.fields ?? []) as FormField[];

/** `GET /rest/asset/v1/form/{id}/fields.json` */
function readFields({ instance }: Context, request: ApiRequest): Reply {
  const found = versionOf(requireAsset(forms, instance, request), statusOf(request));
  return { result: found ? fieldsIn(found[1]) : [] };
}

const fieldWords = ["label", "fieldType", "instructions", "hintText", "defaultValue", "validationMessage"];
const fieldNumbers = ["labelWidth", "fieldWidth", "minValue", "maxValue", "maxLength", "visibleLines"];
const fieldFlags = ["required", "formPrefill", "multiSelect", "labelToRight", "initiallyChecked"];

function readField(request: ApiRequest, before: FormField): FormField {
  const field = { ...before };
  for (const name of fieldWords) field[name === "fieldType" ? "dataType" : name] ??= undefined;
  for (const name of fieldWords) {
    const text = textOf(request, name);
    if (text !== null) field[name === "fieldType" ? "dataType" : name] = text;
  }
  for (const name of fieldNumbers) {
    const text = textOf(request, name);
    if (text !== null) field[name] = Number(text);
  }
  for (const name of fieldFlags) {
    const text = textOf(request, name);
    if (text !== null) field[name] = text.toLowerCase() === "true";
  }
  return field;
}

/** `POST /rest/asset/v1/form/{id}/fields.json` */
function addField({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const form = requireAsset(forms, instance, request);
  const id = requireField(request, "fieldId");
  const known = [...fieldsByName.values()].find(({ name }) => name.toLowerCase() === id.toLowerCase());
  if (!known) throw notFound("Field");
  const before = fieldsIn(form.draft ?? form.approved ?? {});
  if (before.some((field) => field.id === known.name))
    throw new Refusal("709", `Field '${known.name}' is in the form already`);
  const field = readField(request, {
    id: known.name,
    label: known.displayName,
    dataType: known.type,
    validationMessage: "This field is required.",
    rowNumber: before.length,
    columnNumber: 0,
    required: false,
    formPrefill: true,
    visibilityRules: { ruleType: "alwaysShow" },
  });
  changeDraft(form, clock.now(), (content) => ({ ...content, fields: [...fieldsIn(content), field] }));
  return { result: [field] };
}

/** `POST /rest/asset/v1/form/{id}/field/{fieldId}.json` */
function updateField({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const form = requireAsset(forms, instance, request);
  const before = requireFormField(form.draft ?? form.approved ?? {}, request);
  const after = readField(request, before);
  changeDraft(form, clock.now(), (content) => ({
    ...content,
    fields: fieldsIn(content).map((field) => (field.id === before.id ? after : field)),
  }));
  return { result: [after] };
}

/** `POST /rest/asset/v1/form/{id}/field/{fieldId}/delete.json` */
function removeField({ instance, clock }: Context, request: ApiRequest): Reply {
  const form = requireAsset(forms, instance, request);
  const { id } = requireFormField(form.draft ?? form.approved ?? {}, request);
  changeDraft(form, clock.now(), (content) => ({
    ...content,
    fields: fieldsIn(content).filter((field) => field.id !== id),
  }));
  return { result: [{ id }] };
}

function requireFormField(content: AssetContent, { path }: ApiRequest): FormField {
  const field = fieldsIn(content).find(({ id }) => id.toLowerCase() === path.fieldId?.toLowerCase());
  if (!field) throw notFound("Field");
  return field;
}

/** `GET /rest/asset/v1/form/{id}/thankYouPage.json` */
function readThankYou({ instance }: Context, request: ApiRequest): Reply {
  const found = versionOf(requireAsset(forms, instance, request), statusOf(request));
  return { result: found ? (found[1].thankYouList as object[]) : [] };
}

export const formRoutes: Route[] = [
  ...draftedRoutes(forms),
  reads("form/{id}/fields.json", readFields),
  writes("form/{id}/fields.json", addField),
  writes("form/{id}/field/{fieldId}.json", updateField),
  writes("form/{id}/field/{fieldId}/delete.json", removeField),
  reads("form/{id}/thankYouPage.json", readThankYou),
];
