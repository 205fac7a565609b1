import { useState } from "react";
import type { SignalboxProblem } from "../../../client/problem.ts";
import { callFor } from "../../state/call-for.ts";
import { useProject } from "../../state/use-project.ts";
import { Dropdown } from "../../ui/dialogs/Dropdown.tsx";
import { download } from "../../ui/files/download.ts";
import type { AuditInput } from "./use-audit-filter.ts";

type Format = "csv" | "jsonl";

const types: Record<Format, string> = { csv: "text/csv", jsonl: "application/jsonl" };

interface ExportAuditProps {
  input: AuditInput;
  onProblem: (problem: SignalboxProblem | null) => void;
}

/** Downloads all rows that the filters show, oldest first, page by page. */
export function ExportAudit({ input, onProblem }: ExportAuditProps) {
  const projectId = useProject();
  const [rows, setRows] = useState<number | null>(null);
  const start = async (format: Format) => {
    setRows(0);
    onProblem(null);
    try {
      const text = await readAll(projectId, input, format, setRows);
      download(text, `audit-log.${format}`, types[format]);
    } catch (error) {
      onProblem(error as SignalboxProblem);
    } finally {
      setRows(null);
    }
  };
  return (
    <Dropdown
      trigger={<span aria-live="polite">{rows === null ? "Export" : `Exporting, ${rows} rows …`}</span>}
      className="plain-button"
      isDisabled={rows !== null}
      align="end"
    >
      <div className="menu-label">The rows that the filters show</div>
      <button type="button" role="menuitem" className="menu-item" onClick={() => void start("csv")}>
        CSV, for a spreadsheet
      </button>
      <button type="button" role="menuitem" className="menu-item" onClick={() => void start("jsonl")}>
        JSON, one row a line
      </button>
    </Dropdown>
  );
}

async function readAll(projectId: string, input: AuditInput, format: Format, tell: (rows: number) => void) {
  const parts: string[] = [];
  let rows = 0;
  let after: string | null = null;
  do {
    const page: { rows: number; content: string; next: string | null } = await callFor(projectId)(
      "/latest/audit/export",
      {
        ...input,
        format,
        ...(after === null ? {} : { after }),
      },
    );
    // Each page of a CSV begins with the names of its columns.
    parts.push(
      format === "csv" && after !== null ? page.content.slice(page.content.indexOf("\r\n") + 2) : page.content,
    );
    rows += page.rows;
    after = page.next;
    tell(rows);
  } while (after !== null);
  return parts.join("");
}
