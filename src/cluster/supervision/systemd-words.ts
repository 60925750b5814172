/** A word of a command line, escaped for systemd: without variables and specifiers. */
export function quoteWord(word: string): string {
  const plain = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replace(/["\\]/g, "\\$&")}"`;
}
