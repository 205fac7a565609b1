import { Refusal } from "./refusal.ts";

export interface UploadedFile {
  fileName: string;
  type: string;
  content: string;
}

export interface Multipart {
  fields: [name: string, value: string][];
  files: Map<string, UploadedFile>;
}

/** A `multipart/form-data` body: fields, and files by the name of their field. Text is kept byte by byte. */
export function readMultipart(body: Buffer, contentType: string): Multipart {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw new Refusal("613", "Invalid Multipart Request");
  const read: Multipart = { fields: [], files: new Map() };
  for (const part of body.toString("latin1").split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf("\r\n\r\n");
    const head = part.slice(0, end);
    const name = /name="([^"]*)"/i.exec(head)?.[1];
    if (end < 0 || name === undefined) throw new Refusal("613", "Invalid Multipart Request");
    const content = Buffer.from(part.slice(end + 4, -2), "latin1").toString();
    const fileName = /filename="([^"]*)"/i.exec(head)?.[1];
    if (fileName === undefined) read.fields.push([name, content]);
    else read.files.set(name, { fileName, type: typeOf(head), content });
  }
  return read;
}

const typeOf = (head: string): string => /content-type:\s*([^\r\n;]+)/i.exec(head)?.[1] ?? "application/octet-stream";
