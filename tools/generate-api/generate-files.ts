import type { GroupVersion } from "../../src/api/facts.ts";
import { buildFacts, openApiPackage } from "./build-facts.ts";
import { readDiscovery, type ServedVersion } from "./discovery.ts";
import { metricsVersions } from "./metrics-resources.ts";
import { type GoPackage, readPackages } from "./packages.ts";
import type { UpstreamFolders } from "./upstream.ts";
import { writeGroupVersions, writeIndex } from "./write-index.ts";
import { writeJson } from "./write-json.ts";
import { writeResources } from "./write-resources.ts";
import { writeTypes } from "./write-types.ts";

/** Everything the generator writes below src/api: the content of each file by path. */
export function generateFiles(upstream: UpstreamFolders): Map<string, string> {
  const packages = readPackages(upstream);
  const served = [...readDiscovery(upstream), ...metricsVersions];
  const files = new Map<string, string>();
  for (const [path, facts] of buildFacts(packages)) {
    const { folder, version } = packageAt(packages, path);
    const resources =
      served.find((item) => item.group === facts.group && item.version === version)?.resources ??
      [];
    files.set(`${folder}/${version}.json`, writeJson(facts));
    files.set(`${folder}/${version}-definitions.ts`, writeTypes(facts, folder));
    files.set(`${folder}/${version}.ts`, writeResources(resources, version));
  }
  files.set(
    "index.ts",
    writeIndex(served.map((item) => ({ file: fileOf(packages, item), resources: item.resources }))),
  );
  files.set("group-versions.ts", writeGroupVersions(groupVersions(packages, served)));
  return files;
}

/** The served versions in the order of discovery, then the others. */
function groupVersions(packages: Packages, served: readonly ServedVersion[]): GroupVersion[] {
  const files = new Set(served.map((item) => fileOf(packages, item)));
  for (const { folder, version } of packages.values()) files.add(`${folder}/${version}`);
  const byFile = new Map(
    [...packages.values()].map((item) => [`${item.folder}/${item.version}`, item]),
  );
  return [...files].flatMap((file) => {
    const found = byFile.get(file);
    return found
      ? [{ group: found.group, version: found.version, file, package: openApiPackage(found.path) }]
      : [];
  });
}

type Packages = ReadonlyMap<string, GoPackage>;

function packageAt(packages: Packages, path: string): GoPackage {
  const found = packages.get(path);
  if (!found) throw new Error(`no package ${path}`);
  return found;
}

function fileOf(
  packages: Packages,
  { group, version }: Pick<ServedVersion, "group" | "version">,
): string {
  const found = [...packages.values()].find(
    (item) => item.group === group && item.version === version,
  );
  if (!found) throw new Error(`discovery lists ${group}/${version}, which no package declares`);
  return `${found.folder}/${found.version}`;
}
