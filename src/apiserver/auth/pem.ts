/** The blocks of a PEM file: everything from each BEGIN to its END. */
export function pemBlocks(text: string): string[] {
  return text.match(/-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/g) ?? [];
}
