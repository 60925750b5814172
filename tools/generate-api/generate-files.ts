import type { GroupVersion } from "../../src/api/base/facts.ts";
import { buildFacts, openApiPackage } from "./build-facts.ts";
import { checkSources } from "./check-sources.ts";
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
  const factsByPath = buildFacts(packages);
  const served = [...readDiscovery(upstream), ...metricsVersions];
  const byFile = new Map(
    [...packages.values()].map((item) => [`${item.folder}/${item.version}`, item]),
  );
  checkSources(upstream, {
    facts: mapValues(byFile, ({ path }) => getFrom(factsByPath, path)),
    messages: mapValues(byFile, ({ messages }) => messages),
    served,
  });
  const files = new Map<string, string>();
  for (const [file, { path, folder, group, version }] of byFile) {
    const resources =
      served.find((item) => item.group === group && item.version === version)?.resources ?? [];
    files.set(`${file}.json`, writeJson(getFrom(factsByPath, path)));
    files.set(`${file}-definitions.ts`, writeTypes(getFrom(factsByPath, path), folder));
    files.set(`${file}.ts`, writeResources(resources, version));
  }
  files.set(
    "index.ts",
    writeIndex(served.map((item) => ({ file: fileOf(byFile, item), resources: item.resources }))),
  );
  files.set("group-versions.ts", writeGroupVersions(groupVersions(byFile, served)));
  return files;
}

/** The served versions in the order of discovery, then the others. */
function groupVersions(
  byFile: ReadonlyMap<string, GoPackage>,
  served: readonly ServedVersion[],
): GroupVersion[] {
  const files = new Set([...served.map((item) => fileOf(byFile, item)), ...byFile.keys()]);
  return [...files].map((file) => {
    const { group, version, path } = getFrom(byFile, file);
    return { group, version, file, package: openApiPackage(path) };
  });
}

function fileOf(byFile: ReadonlyMap<string, GoPackage>, { group, version }: ServedVersion): string {
  const found = [...byFile].find(([, item]) => item.group === group && item.version === version);
  if (!found) throw new Error(`discovery lists ${group}/${version}, which no package declares`);
  return found[0];
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Map<string, U> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

function getFrom<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key);
  if (value === undefined) throw new Error(`nothing is known of ${key}`);
  return value;
}
