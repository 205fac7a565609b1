import type { Route } from "../gateway/router.ts";
import { changeStatus, deleteMembers, syncStatus } from "./change-members.ts";
import { describeMembers, queryMembers, readMemberLeads, readMemberships } from "./read-members.ts";

const reads = { method: "GET", needs: "Read-Only Lead" } as const;
const writes = { method: "POST", needs: "Read-Write Lead" } as const;

export const programRoutes: Route[] = [
  { ...reads, path: "/rest/v1/programs/members/describe.json", run: describeMembers },
  { ...reads, path: "/rest/v1/programs/{id}/members.json", run: queryMembers },
  { ...writes, path: "/rest/v1/programs/{id}/members/status.json", run: syncStatus },
  { ...writes, path: "/rest/v1/programs/{id}/members/delete.json", run: deleteMembers },
  { ...reads, path: "/rest/v1/leads/programs/{id}.json", run: readMemberLeads },
  { ...writes, path: "/rest/v1/leads/programs/{id}/status.json", run: changeStatus },
  {
    method: "GET",
    path: "/rest/v1/leads/{id}/programMembership.json",
    needs: "Read-Only Assets",
    run: readMemberships,
  },
];
