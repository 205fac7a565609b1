import { useEffect } from "react";
import { useDraft } from "../../../state/use-draft.ts";
import { type Definition, definitionOf, isSame, type Tool } from "../tool.ts";

interface KeptDraft {
  /** The revision that the draft was made from. */
  revision: number;
  definition: Definition;
}

/** A tool as it is being edited. What is not saved yet stays in this browser over a reload. */
export function useToolDraft(tool: Tool) {
  const [kept, keep, forget] = useDraft<KeptDraft | null>(`tool.${tool.tool_id}`, null);
  const saved = definitionOf(tool);
  const isSaved = kept !== null && isSame(kept.definition, saved);
  const isDirty = kept !== null && !isSaved;
  useEffect(() => {
    if (isSaved) forget();
  }, [isSaved, forget]);
  return {
    definition: isDirty ? kept.definition : saved,
    isDirty,
    /** The revision that a save is based on. */
    revision: isDirty ? kept.revision : tool.revision,
    /** Another person saved the tool after this draft was begun. */
    isBehind: isDirty && kept.revision < tool.revision,
    change: (definition: Definition) => keep({ revision: isDirty ? kept.revision : tool.revision, definition }),
    /** Keeps one's own draft although the tool has changed. */
    rebase: () => kept && keep({ ...kept, revision: tool.revision }),
    /** The server has saved it as `answer`. What was typed since it was sent is a change of that. */
    saved(answer: Tool, isUnchanged: boolean) {
      if (kept) keep({ revision: answer.revision, definition: isUnchanged ? definitionOf(answer) : kept.definition });
    },
    discard: forget,
  };
}
