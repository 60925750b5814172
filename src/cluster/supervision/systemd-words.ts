/** A word of a command line as systemd reads it: neither variables nor specifiers. */
export function quoteWord(word: string): string {
  const plain = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replace(/["\\]/g, "\\$&")}"`;
}
