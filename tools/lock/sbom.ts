import { type LockEntry, type LockFile, packageIn } from "./lock-file.ts";

/** The files from which the list of components is computed. */
interface SbomSources {
  readonly lock: LockFile;
  /** The text of bin/node.sha256. */
  readonly nodeSums: string;
}

/** A list of the software that k8ts installs on a user's machine through npm: a bill of materials in CycloneDX 1.6. */
export function computeSbom({ lock, nodeSums }: SbomSources): object {
  const project = lock.packages[""] ?? {};
  const installed = Object.entries(lock.packages)
    .filter(([folder, { dev }]) => folder !== "" && dev !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const refOf = (folder: string): string => purl(folder, lock.packages[folder] ?? {});
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": "k8ts",
        name: "k8ts",
        version: project.version,
        licenses: licenses(project),
      },
    },
    components: installed.map(([folder, entry]) => component(folder, entry, nodeSums)),
    dependencies: ["", ...installed.map(([folder]) => folder)].map((folder) => ({
      ref: folder === "" ? "k8ts" : refOf(folder),
      dependsOn: dependencyFolders(lock, folder).map(refOf).sort(),
    })),
  };
}

function component(folder: string, entry: LockEntry, nodeSums: string): object {
  const name = packageIn(folder);
  const [scope, bare] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const contained = nodeRelease(name, entry, nodeSums);
  return {
    type: "library",
    "bom-ref": purl(folder, entry),
    ...(scope === undefined ? {} : { group: scope }),
    name: bare,
    version: entry.version,
    scope: entry.optional ? "optional" : "required",
    hashes: [{ alg: "SHA-512", content: hexOf(entry.integrity ?? "") }],
    licenses: licenses(entry),
    purl: purl(folder, entry),
    ...(contained === undefined ? {} : { components: [contained] }),
  };
}

/** The Node.js in a package, which scanners know by another name. */
function nodeRelease(name: string, { version }: LockEntry, sums: string): object | undefined {
  const platform = /^node-(linux-.+)$/.exec(name)?.[1];
  if (platform === undefined) return undefined;
  const file = `node-v${version}-${platform}/bin/node`;
  const sum = sums.split("\n").find((line) => line.endsWith(`  ${file}`));
  if (sum === undefined) throw new Error(`bin/node.sha256 has no line for ${file}`);
  return {
    type: "platform",
    "bom-ref": file,
    name: "node",
    version,
    hashes: [{ alg: "SHA-256", content: sum.slice(0, 64) }],
    licenses: [{ license: { id: "MIT" } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  };
}

const licenses = ({ license }: LockEntry): object[] =>
  license === undefined ? [] : [{ license: { id: license } }];

const purl = (folder: string, { version }: LockEntry): string =>
  `pkg:npm/${packageIn(folder).replace("@", "%40")}@${version}`;

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");

/** The folders of a package's dependencies: Node looks for each beside it, then further up. */
function dependencyFolders({ packages }: LockFile, folder: string): string[] {
  const { dependencies, optionalDependencies } = packages[folder] ?? {};
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.flatMap((name) => {
    for (
      let base = folder;
      ;
      base = base.slice(0, Math.max(0, base.lastIndexOf("/node_modules/")))
    ) {
      const found = base === "" ? `node_modules/${name}` : `${base}/node_modules/${name}`;
      if (found in packages) return [found];
      if (base === "") return [];
    }
  });
}
