import type { Route } from "../http/api-request.ts";
import { createDeployment } from "./create-deployment.ts";
import { cancelDeployment, deleteDeployment } from "./end-deployment.ts";
import { listDeployments } from "./list-deployments.ts";
import { listEvents } from "./list-events.ts";
import { listBuilds, readDeployment } from "./read-deployment.ts";
import { streamRuntimeLogs } from "./runtime-logs.ts";
import { uploadFile } from "./upload-file.ts";

const resource = "deployment";
const read = { method: "GET", resource, action: "read", bucket: "deployments_read_per_minute" } as const;

export const deploymentRoutes: Route[] = [
  {
    method: "GET",
    path: "/deployments",
    bucket: "deployments_list_per_minute",
    resource,
    action: "list",
    handle: listDeployments,
  },
  {
    method: "POST",
    path: "/deployments",
    bucket: "deployments_created_per_hour",
    dayBucket: "deployments_created_per_day",
    resource,
    action: "create",
    handle: createDeployment,
  },
  { ...read, path: "/deployments/{idOrUrl}", handle: readDeployment },
  {
    method: "DELETE",
    path: "/deployments/{id}",
    bucket: "deployments_deleted_per_10_minutes",
    resource,
    action: "delete",
    handle: deleteDeployment,
  },
  {
    method: "PATCH",
    path: "/deployments/{id}/cancel",
    bucket: "other_per_minute",
    resource,
    action: "update",
    handle: cancelDeployment,
  },
  { ...read, path: "/deployments/{idOrUrl}/events", handle: listEvents },
  { ...read, path: "/deployments/{id}/builds", handle: listBuilds },
  {
    method: "GET",
    path: "/projects/{projectId}/deployments/{deploymentId}/runtime-logs",
    bucket: "runtime_logs_per_minute",
    resource,
    action: "read",
    handle: streamRuntimeLogs,
  },
  { method: "POST", path: "/files", bucket: "other_per_minute", resource, action: "create", handle: uploadFile },
];
