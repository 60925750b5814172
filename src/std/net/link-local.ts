/** The address that the kernel derives from a hardware address (EUI-64), as nft prints it. */
export function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, ...rest] = mac.split(":").map((byte) => Number.parseInt(byte, 16));
  const bytes = [a ^ 2, b, c, 0xff, 0xfe, ...rest];
  const words = [0, 2, 4, 6].map((at) =>
    ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16),
  );
  return `fe80::${words.join(":")}`;
}
