import { Skeleton, Stack } from "@mantine/core";
import { useOnceTrue } from "../../../state/use-once-true.ts";
import { useList } from "../../../state/use-read.ts";
import { outside } from "../organization.ts";
import { Domains } from "./Domains.tsx";
import { Providers } from "./Providers.tsx";

/** How people of the organization sign in at their own identity provider, and for which addresses. */
export function SignOnTab() {
  const providers = useList("/latest/single_sign_on/list", { limit: 100 }, outside);
  const domains = useList("/latest/domains/list", { limit: 100 }, outside);
  // They appear together, so that neither moves.
  const isKnown = useOnceTrue(
    [providers, domains].every(({ rows, problem }) => rows !== undefined || problem !== null),
  );
  if (!isKnown) return <Skeleton height={480} aria-label="Loading" />;
  return (
    <Stack gap="lg">
      <Providers list={providers} />
      <Domains providers={providers.rows ?? []} />
    </Stack>
  );
}
