import type { Payloads } from "./payloads.ts";

/** Headers that a caller may not set, by name. */
export const headerNames: Payloads = {
  "the connection's": [
    ...[
      "Host",
      "host",
      "Connection",
      "Content-Length",
      "content-length",
      "Transfer-Encoding",
      "TE",
      "Trailer",
      "Upgrade",
    ],
    ...["Expect", "Keep-Alive", "HTTP2-Settings", "Proxy-Connection"],
  ],
  "the account's": [
    ...["Authorization", "authorization", "AUTHORIZATION", "Proxy-Authorization", "Cookie", "Cookie2", "Set-Cookie"],
    ...["X-Api-Key", "X-Goog-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-Access-Token", "X-Csrf-Token"],
    ...["X-Goog-Iam-Authorization-Token", "Api-Key", "X-Session-Id"],
  ],
  "a proxy's": [
    ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded", "Forwarded", "Via", "X-Real-Ip"],
    ...[
      "X-Client-Ip",
      "X-Cluster-Client-Ip",
      "X-Originating-Ip",
      "X-Remote-Addr",
      "True-Client-Ip",
      "CF-Connecting-IP",
    ],
    ...["X-Host", "X-Original-Url", "X-Original-Host", "X-Rewrite-Url", "Proxy-Foo", "Max-Forwards", "X-Proxy-User"],
    ...["X-Accel-Redirect", "X-Sendfile", "X-Envoy-Original-Path"],
  ],
  "another method than it says": ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"],
  "the browser's": ["Sec-Fetch-Site", "Sec-WebSocket-Key", "Sec-Foo", "Origin", "Referer"],
  "Signalbox's own": ["Accept-Encoding", "User-Agent", "X-Signalbox-Project", "x-signalbox-run"],
  "no names": [
    "",
    " ",
    "x a",
    "x:a",
    "x\r\nHost",
    "x\n",
    "x\u0000",
    "x-ü",
    "x\t",
    ":authority",
    ":path",
    "(x)",
    "x,y",
    "__proto__",
  ],
};

/** Values that no header may contain. */
export const headerValues: Payloads = {
  "a second header": [
    "a\r\nHost: evil.example",
    "a\nHost: evil.example",
    "a\rHost: evil.example",
    "\r\n",
    "\n a",
    "a\r\n\r\nGET /",
  ],
  "control characters": ["a\u0000b", "a\u0001", "\u001b[31m", "a\u007f", "a\u0008", "a\u000b"],
  "letters that become others": [
    "\u560d\u560aHost: evil.example",
    "\u010d\u010aHost: evil",
    "a\u2028b",
    "\u{1f600}",
    "\u0130",
    "a\u0085b",
  ],
};
