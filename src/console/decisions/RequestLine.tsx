import { Code } from "@mantine/core";

export const RequestLine = ({ method, url }: { method: string; url: string }) => (
  <Code block className="json">
    <b>{method}</b> {url}
  </Code>
);
