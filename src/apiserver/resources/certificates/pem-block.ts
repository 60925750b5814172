/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  /** Lines such as `Proc-Type: 4,ENCRYPTED` stood before the data. */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const blockPattern = /-----BEGIN ([^\n-]+)-----\s*?\n([\s\S]*?)-----END \1-----/g;
const headerPattern = /^[^\n:]+:[^\n]*\n/gm;

/** The blocks of a PEM text; what is between them is passed over, as Go does. */
export function readPemBlocks(text: string): PemBlock[] {
  return Array.from(text.matchAll(blockPattern), ([, type = "", body = ""]) => ({
    type,
    hasHeaders: body.includes(":"),
    der: Buffer.from(body.replace(headerPattern, ""), "base64"),
  }));
}
