/** How an archive of images is packed, as its first bytes show. */
type ArchiveFormat = "tar" | "gzip" | "zstd" | "unknown";

/** How many bytes of a file tell its format: the magic number of tar stands at 257. */
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
