/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  /** Lines such as `Proc-Type: 4,ENCRYPTED` stood before the data. */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
  /** The block as it stands in the text, from BEGIN to END. */
  readonly text: string;
}

const blockPattern = /-----BEGIN ([^\n-]+)-----\s*?\n([\s\S]*?)-----END \1-----[ \t\r]*(?=\n|$)/g;
const headerPattern = /^[^\n:]+:[^\n]*\n/gm;

/** The blocks of a PEM text; what is between them is passed over, as Go does. */
export function readPemBlocks(text: string): PemBlock[] {
  return Array.from(text.matchAll(blockPattern), ([block, type = "", body = ""]) => ({
    type,
    hasHeaders: body.includes(":"),
    der: Buffer.from(body.replace(headerPattern, ""), "base64"),
    text: block,
  }));
}

/** DER as PEM. */
export function writePem(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}
