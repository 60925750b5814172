import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { append } from "#/std/base/append.ts";
import { kubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { writeIfChanged } from "../base/write-file.ts";
import { type ConfigDocument, readDocuments } from "../config/read-documents.ts";
import { manifestFiles, readManifest } from "./manifest-files.ts";

/** The field manager of what is applied. */
const manager = "k8ts-manifests";
/** Where objects without a namespace go. */
const defaultNamespace = "default";
/** What has been applied, and is removed when it is in no file any more. */
interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined if the program ended before it was known. */
  readonly uid?: string;
}

const keyOf = ({ apiVersion, kind, namespace, name }: Applied): string =>
  JSON.stringify([apiVersion, kind, namespace, name]);

const appliedFile = (paths: ClusterPaths): string => join(paths.config, "manifests.json");

/** Whether there are manifests to apply, or some that were applied earlier. */
export const hasManifests = (paths: ClusterPaths, folders: readonly string[]): boolean =>
  folders.length > 0 || existsSync(appliedFile(paths));

/**
 * Applies all manifests of the folders, and removes what was applied from them and is no longer there. Rejects with file
 * and line if one can't be read: then nothing is applied or removed.
 */
export async function applyFolders(
  paths: ClusterPaths,
  folders: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const files = (await Promise.all(folders.map(manifestFiles))).flat();
  const wanted = await readFiles(files);
  const before = await readApplied(paths);
  const all = new Map([...wanted, ...before].map((one) => [keyOf(one), one]));
  // Recorded first: what is applied must be found again, however this program ends.
  await writeApplied(paths, [...all.values()]);
  let applied: readonly Applied[] = [];
  if (files.length > 0) {
    const named = files.map((file) => `--filename=${file}`);
    const how = ["--server-side", "--force-conflicts", `--field-manager=${manager}`];
    const out = await run(paths, ["apply", "--output=json", ...how, ...named], signal);
    applied = appliedIn(JSON.parse(out));
  }
  const kept = new Set([...wanted, ...applied].map(keyOf));
  for (const one of before.filter((other) => !kept.has(keyOf(other)))) {
    await removeApplied(paths, one, signal);
  }
  if (applied.length > 0) await writeApplied(paths, applied);
  else await rm(appliedFile(paths), { force: true });
}

/** The objects in kubectl's output: one, or a list. */
function appliedIn(output: unknown): Applied[] {
  const { items, ...object } = output as { items?: readonly unknown[] };
  if (items) return items.flatMap(appliedIn);
  const { apiVersion, kind, metadata } = object as Pick<Applied, "apiVersion" | "kind"> & {
    metadata: { name: string; namespace?: string; uid: string };
  };
  const { name, namespace = defaultNamespace, uid } = metadata;
  return [{ apiVersion, kind, namespace, name, uid }];
}

async function readApplied(paths: ClusterPaths): Promise<Applied[]> {
  if (!existsSync(appliedFile(paths))) return [];
  return JSON.parse(await readFile(appliedFile(paths), "utf8")) as Applied[];
}

const writeApplied = (paths: ClusterPaths, all: readonly Applied[]): Promise<void> =>
  writeIfChanged(appliedFile(paths), `${JSON.stringify(all)}\n`);

/** Removes an object, unless it is gone, of a kind that is gone, or was made by another since. */
async function removeApplied(
  paths: ClusterPaths,
  { apiVersion, kind, namespace, name, uid }: Applied,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [version = "", group] = apiVersion.split("/").reverse();
  const type = group === undefined ? kind : `${kind}.${version}.${group}`;
  const object = [type.toLowerCase(), name, `--namespace=${namespace}`];
  const show = ["--ignore-not-found", "--show-managed-fields", "--output=json"];
  const found = await ask(paths, ["get", ...object, ...show], signal);
  if (found.code !== 0) {
    if (/doesn't have a resource type|no matches for kind/.test(found.err)) return;
    throw new CommandFailure(found.err.trim());
  }
  if (found.out.trim() === "") return;
  const { metadata } = JSON.parse(found.out) as {
    metadata: { uid?: string; managedFields?: { manager?: string }[] };
  };
  const isOurs =
    uid === undefined
      ? metadata.managedFields?.some((fields) => fields.manager === manager)
      : metadata.uid === uid;
  if (!isOurs) return;
  await run(paths, ["delete", "--ignore-not-found", "--wait=false", ...object], signal);
}

/** The objects of the files. Rejects with all their problems. */
async function readFiles(files: readonly string[]): Promise<Applied[]> {
  const problems: string[] = [];
  const found: Applied[] = [];
  for (const file of files) {
    try {
      const text = await readManifest(file);
      for (const document of readDocuments(file, text)) append(found, objectsOf(document));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) return found;
  throw new CommandFailure(["these manifests can't be applied:", ...problems].join("\n  "));
}

function objectsOf({ value, at }: Pick<ConfigDocument, "value" | "at">): Applied[] {
  const { kind, items } = value;
  if (kind === "List" && Array.isArray(items)) {
    return items.flatMap((item, index) =>
      objectsOf({ value: item, at: (path) => at(["items", index, ...path]) }),
    );
  }
  const { name, namespace = defaultNamespace } = (value["metadata"] ?? {}) as Partial<Applied>;
  const { apiVersion } = value;
  if (typeof name !== "string" || typeof kind !== "string" || typeof apiVersion !== "string") {
    throw new CommandFailure(
      `${at(["metadata"])}: an object needs apiVersion, kind and metadata.name`,
    );
  }
  return [{ apiVersion, kind, namespace, name }];
}

/** As a user that needs no roles: the manifests may change them. */
const ask = (paths: ClusterPaths, args: readonly string[], signal: AbortSignal | undefined) =>
  kubectl(
    paths,
    [`--kubeconfig=${accessFile(paths, "super-admin")}`, ...args],
    signal && { signal },
  );

async function run(
  paths: ClusterPaths,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const { code, out, err } = await ask(paths, args, signal);
  if (code !== 0) throw new CommandFailure(err.trim() || `kubectl ended with ${code}`);
  return out;
}
