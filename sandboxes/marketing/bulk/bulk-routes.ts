import type { Permission } from "../gateway/clients.ts";
import type { Route } from "../gateway/router.ts";
import { cancelExport, createExport, enqueueExport, listExports, readExport, readExportFile } from "./bulk-exports.ts";
import type { ExportKind } from "./export-jobs.ts";

export const bulkRoutes: Route[] = [
  ...exportRoutes("leads", "Read-Only Lead"),
  ...exportRoutes("activities", "Read-Only Activity"),
];

function exportRoutes(kind: ExportKind, needs: Permission): Route[] {
  const base = `/bulk/v1/${kind}/export`;
  return [
    { method: "GET", path: `${base}.json`, needs, run: listExports(kind) },
    { method: "POST", path: `${base}/create.json`, needs, run: createExport(kind) },
    { method: "POST", path: `${base}/{exportId}/enqueue.json`, needs, run: enqueueExport(kind) },
    { method: "POST", path: `${base}/{exportId}/cancel.json`, needs, run: cancelExport(kind) },
    { method: "GET", path: `${base}/{exportId}/status.json`, needs, run: readExport(kind) },
    { method: "GET", path: `${base}/{exportId}/file.json`, needs, run: readExportFile(kind) },
  ];
}
