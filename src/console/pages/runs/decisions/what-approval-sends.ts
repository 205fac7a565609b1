/** An exact promise where the request is whole already; otherwise it names what is read from the system first. */
export function whatApprovalSends(request: unknown): string {
  if (request === undefined || request === null) return "The run continues.";
  const { requests } = request as { requests?: unknown[] };
  const isMany = Array.isArray(requests);
  const { method, reads_first: read } = ((isMany ? requests[0] : request) ?? {}) as Record<string, unknown>;
  if (!isMany && method === undefined) return "Exactly what is shown is done, and nothing else.";
  if (typeof read !== "string")
    return `Exactly ${isMany ? "these requests are" : "this request is"} sent, and nothing else.`;
  return `${isMany ? "These requests are" : "This request is"} sent, and nothing else. Just before, this is read from the system and filled in: ${read}.`;
}
