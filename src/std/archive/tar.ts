/** A file or folder in a tar archive. */
export interface TarEntry {
  readonly name: string;
  /** Undefined for a folder or a link. */
  readonly content?: Uint8Array;
  /** The target of a symbolic link. */
  readonly linkTo?: string;
  /** Permission bits; 0644 for files and 0755 for folders if not given. */
  readonly mode?: number;
}

const blockBytes = 512;

/** A tar archive (ustar) of entries, all owned by root and dated 1970, so that equal entries give equal bytes. */
export function tarArchive(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.content ?? new Uint8Array();
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    return [headerOf(entry, content.length), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function headerOf({ name, content, linkTo, mode }: TarEntry, sizeBytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a tar file`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number): void =>
    void header.write(`${value.toString(8).padStart(digits, "0")}\0`, at);
  header.write(name);
  octal(mode ?? (content ? 0o644 : 0o755), 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(sizeBytes, 124, 11);
  octal(0, 136, 11);
  header.write(" ".repeat(8), 148); // The checksum counts as blanks while it is computed.
  header.write(content ? "0" : linkTo === undefined ? "5" : "2", 156);
  header.write(linkTo ?? "", 157);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
