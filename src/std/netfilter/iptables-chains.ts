/** The rules of a chain, without `-A` and its name, in the output of iptables-save. */
export function rulesOf(saved: string, chain: string): string[] {
  const start = `-A ${chain} `;
  return saved
    .split("\n")
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length));
}

export function hasChain(saved: string, chain: string): boolean {
  return saved.includes(`\n:${chain} `);
}

/**
 * Input of iptables-restore that removes chains of a table, with all jumps to them, given the
 * output of iptables-save; "" if none of them exists.
 */
export function planChainRemoval(saved: string, table: string, names: readonly string[]): string {
  const chains = names.filter((name) => hasChain(saved, name));
  if (chains.length === 0) return "";
  const isInside = (line: string): boolean => chains.some((name) => line.startsWith(`-A ${name} `));
  const jumps = saved
    .split("\n")
    .filter((line) => line.startsWith("-A ") && !isInside(line))
    .filter((line) => chains.some((name) => line.endsWith(` -j ${name}`)));
  return [
    `*${table}`,
    ...chains.map((name) => `:${name} - [0:0]`),
    ...jumps.map((line) => line.replace("-A", "-D")),
    ...chains.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}
