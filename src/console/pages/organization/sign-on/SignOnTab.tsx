import { Stack } from "@mantine/core";
import { useList } from "../../../state/use-read.ts";
import { outside } from "../organization.ts";
import { Domains } from "./Domains.tsx";
import { Providers } from "./Providers.tsx";

/** How people of the organization sign in at their own identity provider, and for which addresses. */
export function SignOnTab() {
  const providers = useList("/latest/single_sign_on/list", { limit: 100 }, outside);
  return (
    <Stack gap="lg">
      <Providers list={providers} />
      <Domains providers={providers.rows ?? []} />
    </Stack>
  );
}
