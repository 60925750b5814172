import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GoConstant, GoType } from "./go-types.ts";
import { parseGo } from "./parse-go.ts";
import { type ProtoField, parseProto } from "./parse-proto.ts";
import type { UpstreamFolders } from "./upstream.ts";

/** One of upstream's Go packages that declare API types: one version of one group. */
export interface GoPackage {
  /** Import path: k8s.io/api/apps/v1. */
  readonly path: string;
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Where its facts are written under src/api. */
  readonly folder: string;
  readonly types: ReadonlyMap<string, GoType>;
  readonly constants: readonly GoConstant[];
  /** The kinds it registers under its group and version, in alphabetical order. */
  readonly kinds: readonly string[];
  /** Empty for a package without protobuf. */
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>;
}

/** Reads every package with API types, by import path. */
export function readPackages(upstream: UpstreamFolders): Map<string, GoPackage> {
  const roots: readonly [path: string, folder: string][] = [
    ...groupFolders("k8s.io/api", upstream.api),
    ["k8s.io/apimachinery/pkg/apis/meta", join(upstream.apimachinery, "pkg/apis/meta")],
    [
      "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions",
      join(upstream.apiextensions, "pkg/apis/apiextensions"),
    ],
    [
      "k8s.io/kube-aggregator/pkg/apis/apiregistration",
      join(upstream.aggregator, "pkg/apis/apiregistration"),
    ],
    ["k8s.io/apiserver/pkg/apis/audit", join(upstream.apiserver, "pkg/apis/audit")],
    ...groupFolders("k8s.io/metrics/pkg/apis", join(upstream.metrics, "pkg/apis")),
  ];
  const packages = roots.flatMap(([path, folder]) =>
    versionFolders(folder).map((version) =>
      readPackage(`${path}/${version}`, join(folder, version)),
    ),
  );
  return new Map(packages.map((goPackage) => [goPackage.path, goPackage]));
}

/** The groups in a folder, each with its import path. */
function groupFolders(path: string, parent: string): [path: string, folder: string][] {
  return folders(parent)
    .filter((name) => versionFolders(join(parent, name)).length > 0)
    .map((name) => [`${path}/${name}`, join(parent, name)]);
}

/** The folders of a group that are versions: v1, v2beta1… */
function versionFolders(group: string): string[] {
  return folders(group).filter(
    (name) => /^v\d+((alpha|beta)\d+)?$/.test(name) && existsSync(join(group, name, "register.go")),
  );
}

function folders(parent: string): string[] {
  const entries = readdirSync(parent, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function readPackage(path: string, folder: string): GoPackage {
  const [groupFolder = "", version = ""] = path.split("/").slice(-2);
  const files = readdirSync(folder).filter(isHandWritten).sort();
  const parsed = files.map((file) => parseGo(readFileSync(join(folder, file), "utf8"), path));
  const register = readFileSync(join(folder, "register.go"), "utf8");
  const proto = join(folder, "generated.proto");
  return {
    path,
    group: parseGroupName(register, path),
    version,
    folder: groupFolder.replaceAll("_", "-"),
    types: new Map(parsed.flatMap((file) => file.types).map((type) => [type.name, type])),
    constants: parsed.flatMap((file) => file.constants),
    kinds: parseKinds(register),
    messages: existsSync(proto) ? parseProto(readFileSync(proto, "utf8")) : new Map(),
  };
}

function isHandWritten(file: string): boolean {
  return file.endsWith(".go") && !/(_test|\.pb|generated.*)\.go$/.test(file);
}

function parseGroupName(register: string, path: string): string {
  const name =
    /^const GroupName = "(.*)"$/m.exec(register)?.[1] ??
    /^\tGroupName\s+= "(.*)"$/m.exec(register)?.[1];
  if (name === undefined) throw new Error(`no group name in ${path}`);
  return name;
}

/** The package's own types given to AddKnownTypes; Status, registered in core, is one of metav1. */
function parseKinds(register: string): string[] {
  const kinds = new Set<string>();
  for (const [, list] of register.matchAll(/AddKnownTypes\(\s*SchemeGroupVersion,([^)]*)\)/g)) {
    for (const [, kind] of (list ?? "").matchAll(/&(\w+)\{\}/g)) if (kind) kinds.add(kind);
  }
  return [...kinds].sort();
}
