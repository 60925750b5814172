/** The first release of each series of containerd that has the fixes of all holes in SECURITY.md: series and patch. */
const fixedReleases: readonly (readonly [major: number, minor: number, patch: number])[] = [
  [1, 7, 33],
  [2, 0, 10],
  [2, 1, 9],
  [2, 2, 5],
  [2, 3, 2],
];

/** A warning about a containerd with known holes, from the output of `containerd --version`; undefined if there is no reason. */
export function containerdWarning(output: string): string | undefined {
  const [text, ...numbers] = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
  if (text === undefined) return undefined;
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  const [last] = fixedReleases.slice(-1);
  if (last && (major > last[0] || (major === last[0] && minor > last[1]))) return undefined;
  const fixed = fixedReleases.find((series) => series[0] === major && series[1] === minor);
  if (fixed && patch >= fixed[2]) return undefined;
  const wanted = fixedReleases.map((release) => release.join(".")).join(", ");
  return `  security   containerd ${text.replace(/^v/, "")} has known holes: install ${wanted} or newer (see SECURITY.md)`;
}
