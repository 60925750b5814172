/** The format of an image archive, detected from its first bytes. */
type ArchiveFormat = "tar" | "gzip" | "zstd" | "unknown";

/** Number of bytes needed to detect the format: the magic number of tar is at 257. */
export const headBytes = 262;

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const tarMagicAt = 257;

export function archiveFormat(head: Buffer): ArchiveFormat {
  const startsWith = (magic: Buffer) => head.subarray(0, magic.length).equals(magic);
  if (startsWith(gzipMagic)) return "gzip";
  if (startsWith(zstdMagic)) return "zstd";
  return head.toString("latin1", tarMagicAt, tarMagicAt + 5) === "ustar" ? "tar" : "unknown";
}
