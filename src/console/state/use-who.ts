import { useRead } from "./use-read.ts";

/** The person who is signed in, their organization, and the first hundred projects with roles. */
export const useWho = () => useRead("/latest/auth/info", {}, { outsideProject: true, staleTime: 60_000 });

export type Role = "viewer" | "editor" | "admin";

const order: Role[] = ["viewer", "editor", "admin"];

/** The person's role in a project, and whether it includes another. */
export function useRole(projectId: string | null): {
  isKnown: boolean;
  role: Role | null;
  may: (needed: Role) => boolean;
} {
  const { data } = useWho();
  const role = (data?.projects.find(({ project_id }) => project_id === projectId)?.role ?? null) as Role | null;
  const isOwner = data?.user.organization_role === "owner";
  return {
    isKnown: data !== undefined,
    role,
    may: (needed) => isOwner || (role !== null && order.indexOf(role) >= order.indexOf(needed)),
  };
}
