/** package.json of the sources. */
interface SourceManifest {
  readonly version: string;
  readonly [field: string]: unknown;
}

/** Fields that only the sources need. */
const ofSources = new Set(["private", "devDependencies"]);

/**
 * package.json of a release, as text. A build of a commit that has not its version's tag names the commit, as npm does it:
 * its version is then shown as VERSION+COMMIT.
 */
export function releaseManifest(
  text: string,
  commit: string | undefined,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const source = JSON.parse(text) as SourceManifest;
  const kept = Object.entries(source).filter(([field]) => !ofSources.has(field));
  const manifest = {
    ...Object.fromEntries(kept),
    ...more,
    ...(commit === undefined ? {} : { gitHead: commit }),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** package-lock.json for the users of an npm package, without what only developers need. */
export function releaseLock(text: string): string {
  const lock = JSON.parse(text) as {
    readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const entries = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder, entry]) => {
      const { devDependencies: _, ...rest } = entry;
      return [folder, folder === "" ? rest : entry];
    });
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, undefined, 2)}\n`;
}
