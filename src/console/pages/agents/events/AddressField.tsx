import { Group, TextInput } from "@mantine/core";
import { Copy } from "../../../ui/files/Copy.tsx";

/** Where the agent receives events. The address is as secret as its last part. */
export const AddressField = ({ url }: { url: string }) => (
  <Group gap="xs" align="end">
    <TextInput
      label="Webhook address"
      description="Senders post events here, as JSON."
      value={url}
      readOnly
      className="mono-input"
      flex="1 1 16rem"
      onFocus={(event) => event.currentTarget.select()}
    />
    <Copy text={url} label="Copy the address" size="sm" />
  </Group>
);
