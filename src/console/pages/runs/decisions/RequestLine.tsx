import { Code } from "@mantine/core";

export const RequestLine = ({ method, url }: { method: string; url: string }) => (
  <Code block className="json" aria-label="Request" tabIndex={0}>
    <b>{method}</b> {url}
  </Code>
);
