import { type Finding, importsOf, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** The packages of package.json. */
export interface Packages {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Programs import exactly the packages that they are installed with; packages of tests are development dependencies.
 */
export function checkPackages(files: readonly SourceFile[], manifest: string): Finding[] {
  const { dependencies = {} } = JSON.parse(manifest) as Packages;
  const programs = files.filter(({ path }) => /^(bin|src)\//.test(path) && !isTest(path));
  const used = new Set<string>();
  const findings: Finding[] = [];
  for (const file of programs) {
    for (const { specifier, line } of importsOf(file)) {
      const name = packageOf(specifier);
      if (name === undefined) continue;
      used.add(name);
      if (name in dependencies) continue;
      const message = `${name} is not among the dependencies of package.json`;
      findings.push({ path: file.path, line, message });
    }
  }
  const unused = Object.keys(dependencies).filter((name) => !used.has(name));
  return [
    ...findings,
    ...unused.map((name) => {
      const line = lineAt(manifest, manifest.indexOf(`"${name}"`));
      const message = `no program imports ${name}: move it to devDependencies or remove it`;
      return { path: "package.json", line, message };
    }),
  ];
}

/** The package of a specifier; undefined for a file or a Node built-in. */
function packageOf(specifier: string): string | undefined {
  if (/^(node:|#|\.)/.test(specifier)) return undefined;
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
