/** POSIX.1-2001 pax and ustar. */

/** The header of a file, folder or link to write. */
export interface WrittenEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "symlink";
  /** Of a file only. */
  readonly sizeBytes?: number;
  /** The target of a link. */
  readonly linkTo?: string;
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly modifiedMs?: number;
}

const blockBytes = 512;
const maxNameBytes = 100;
const maxOctal = { id: 0o7777777, size: 0o77777777777 };
const flags = { file: "0", symlink: "2", folder: "5" } as const;

/** The end mark of an archive. */
export const tarEnd: Uint8Array = Buffer.alloc(2 * blockBytes);

/** The header of an entry, preceded by an extended header if a field is too long. */
export function tarHeader(entry: WrittenEntry): Buffer {
  const records = extendedRecords(entry);
  if (records === "") return headerBlock(entry, flags[entry.kind]);
  const body = Buffer.from(records);
  const extension = {
    name: "PaxHeaders.0/entry",
    kind: "file",
    mode: 0o644,
    sizeBytes: body.length,
  } as const;
  return Buffer.concat([
    headerBlock(extension, "x"),
    body,
    tarPadding(body.length),
    headerBlock(entry, flags[entry.kind]),
  ]);
}

/** The padding of the last block of a file of that size. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}

function extendedRecords({ name, linkTo = "", sizeBytes = 0, uid = 0, gid = 0 }: WrittenEntry) {
  return [
    isLong(name) ? record("path", name) : "",
    isLong(linkTo) ? record("linkpath", linkTo) : "",
    sizeBytes > maxOctal.size ? record("size", String(sizeBytes)) : "",
    uid > maxOctal.id ? record("uid", String(uid)) : "",
    gid > maxOctal.id ? record("gid", String(gid)) : "",
  ].join("");
}

const isLong = (text: string): boolean =>
  Buffer.byteLength(text) > maxNameBytes || /[^\x20-\x7e]/.test(text);

/** `LENGTH KEY=VALUE\n`, with the length including itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

function headerBlock(entry: WrittenEntry, flag: string): Buffer {
  const { name, mode, uid = 0, gid = 0, sizeBytes = 0, modifiedMs = 0, linkTo = "" } = entry;
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, most: number, at: number, digits: number): void =>
    void header.write(`${(value > most ? 0 : value).toString(8).padStart(digits, "0")}\0`, at);
  header.write(name.slice(0, maxNameBytes), 0, maxNameBytes, "latin1");
  octal(mode & 0o7777, maxOctal.id, 100, 7);
  octal(uid, maxOctal.id, 108, 7);
  octal(gid, maxOctal.id, 116, 7);
  octal(sizeBytes, maxOctal.size, 124, 11);
  octal(Math.max(0, Math.round(modifiedMs / 1000)), maxOctal.size, 136, 11);
  header.write(" ".repeat(8), 148); // The checksum counts as blanks while it is computed.
  header.write(flag, 156);
  header.write(linkTo.slice(0, maxNameBytes), 157, maxNameBytes, "latin1");
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
