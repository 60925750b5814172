/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go, api/internal/loader. */
import { readFile, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { goQuote } from "#/std/go-quote.ts";
import type { Context } from "../context.ts";
import { CommandError, messageOf } from "../errors.ts";
import { readDocuments } from "../resource/read-documents.ts";
import { isList, type Unstructured } from "../unstructured.ts";
import { BuildResource, idText, sameId } from "./build-resource.ts";
import { generate } from "./generators.ts";
import { deprecations, type Kustomization } from "./kustomization.ts";
import { loadKustomization } from "./load-kustomization.ts";
import { symlinkFailure } from "./symlink-failure.ts";
import { transform } from "./transform.ts";
import type { FieldSpecs } from "./transformers.ts";
import { defaultFieldSpecs } from "./transformers.ts";

export interface BuildOptions {
  /** Whether files may be outside of the folder that names them. */
  readonly anyFile?: boolean;
}

/** What a folder has come to so far. */
export interface Accumulated {
  resources: BuildResource[];
  specs: FieldSpecs;
}

interface Target extends Accumulated {
  readonly kustomization: Kustomization;
}

interface Visit extends BuildOptions {
  readonly context: Context;
  /** The folders that led here. */
  readonly ancestors: readonly string[];
}

/** All resources of a folder, transformed by every layer; names in references are not yet updated. */
export async function accumulate(
  context: Context,
  folder: string,
  options: BuildOptions = {},
): Promise<Target> {
  const root = context.path(folder);
  if (isRemote(folder)) throw remote(folder);
  await requireFolder(root, folder);
  return await accumulateFolder({ ...options, context, ancestors: [] }, root, undefined);
}

async function requireFolder(path: string, name: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    throw new CommandError(
      `must build at directory: not a valid directory: ${symlinkFailure(path, error, name)}`,
      { cause: error },
    );
  }
  throw new CommandError(`must build at directory: '${name}': file is not directory`);
}

async function accumulateFolder(
  visit: Visit,
  folder: string,
  into: Accumulated | undefined,
): Promise<Target> {
  const kustomization = await loadKustomization(folder);
  for (const warning of deprecations(kustomization)) visit.context.err.write(`${warning}\n`);
  const isComponent = kustomization.kind === "Component";
  if (into && !isComponent) {
    throw new CommandError(
      `expected kind 'Component' for path '${folder}' but got '${kustomization.kind ?? ""}'`,
    );
  }
  const target: Accumulated = into ?? { resources: [], specs: defaultFieldSpecs };
  const inner: Visit = { ...visit, ancestors: [...visit.ancestors, folder] };
  for (const path of [...(kustomization.resources ?? []), ...(kustomization.bases ?? [])]) {
    try {
      await accumulateResource(inner, folder, path, target);
    } catch (error) {
      throw new CommandError(`accumulating resources: ${messageOf(error)}`, { cause: error });
    }
  }
  await addGenerated(visit.context, folder, kustomization, target);
  for (const path of kustomization.components ?? []) {
    try {
      if (isRemote(path)) throw remote(path);
      await accumulateFolder(inner, resolve(folder, path), target);
    } catch (error) {
      throw new CommandError(
        `accumulating components: accumulateDirectory: ${goQuote(messageOf(error))}`,
        { cause: error },
      );
    }
  }
  await transform(target, kustomization, folder);
  return Object.assign(target, { kustomization });
}

async function accumulateResource(
  visit: Visit,
  folder: string,
  path: string,
  target: Accumulated,
): Promise<void> {
  const full = resolve(folder, path);
  if (isRemote(path)) throw remote(path);
  if (await isFolder(full)) {
    await addBase(visit, folder, path, target);
    return;
  }
  const bytes = await readResource(visit, folder, path);
  try {
    const objects = [...readDocuments(bytes, path)] as Unstructured[];
    const added = objects.flatMap(itemsOf).map(checked);
    append(target.resources, added, `merging resources from '${path}'`);
  } catch (error) {
    throw new CommandError(`accumulating resources from '${path}': ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** What isn't a file that may be read must be a folder, and isn't one either. */
async function readResource({ anyFile }: Visit, folder: string, path: string): Promise<Buffer> {
  const full = resolve(folder, path);
  const neither = (asFile: string, asFolder: string): CommandError =>
    new CommandError(
      `accumulation err='accumulating resources from '${path}': ${asFile}': must build at directory: ${asFolder}`,
    );
  let bytes: Buffer;
  try {
    bytes = await readFile(full);
  } catch (error) {
    const missing = symlinkFailure(full, error);
    throw neither(missing, `not a valid directory: ${missing}`);
  }
  if (anyFile || !relative(folder, full).startsWith(`..${sep}`)) return bytes;
  throw neither(
    `security; file '${full}' is not in or below '${folder}'`,
    `'${full}': file is not directory`,
  );
}

async function addBase(
  visit: Visit,
  folder: string,
  path: string,
  target: Accumulated,
): Promise<void> {
  const full = resolve(folder, path);
  const asFile = `accumulation err='accumulating resources from '${path}': '${full}' must resolve to a file'`;
  if (visit.ancestors.some((each) => each === full || each.startsWith(`${full}${sep}`))) {
    throw new CommandError(
      `${asFile}: cycle detected: candidate root '${full}' contains visited root '${folder}'`,
    );
  }
  try {
    const base = await accumulateFolder(visit, full, undefined);
    if (base.kustomization.kind === "Component") {
      throw new CommandError(`expected kind != 'Component' for path '${full}'`);
    }
    append(target.resources, base.resources, `recursed merging from path '${full}'`);
    target.specs = mergedSpecs(target.specs, base.specs);
  } catch (error) {
    throw new CommandError(`${asFile}: ${messageOf(error)}`, { cause: error });
  }
}

function mergedSpecs(left: FieldSpecs, right: FieldSpecs): FieldSpecs {
  if (right === defaultFieldSpecs) return left;
  const keys = Object.keys(left) as (keyof FieldSpecs)[];
  const merged = keys.map((key) => [key, [...new Set([...left[key], ...right[key]])]] as const);
  return Object.fromEntries(merged) as unknown as FieldSpecs;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Bases of other machines; they would have to be fetched. */
function isRemote(path: string): boolean {
  return /^(?:[a-z+]+:\/\/|git@|git::|github\.com[/:])/i.test(path);
}

function remote(path: string): CommandError {
  return new CommandError(
    `'${path}' is remote: kustomizations are built of local files only; fetch it first and refer to the copy`,
  );
}

function itemsOf(object: Unstructured): Unstructured[] {
  return isList(object) && (object.kind ?? "").endsWith("List") ? object.items : [object];
}

function checked(object: Unstructured): BuildResource {
  const resource = new BuildResource(object);
  if (typeof object !== "object" || object === null || !object.kind) {
    throw new CommandError("missing Resource metadata");
  }
  if (resource.name === "")
    throw new CommandError(
      "missing metadata.name in object {{" +
        `${object.apiVersion ?? ""} ${object.kind}} {{ } map[] map[]}}`,
    );
  return resource;
}

function append(resources: BuildResource[], added: readonly BuildResource[], doing: string): void {
  for (const resource of added) {
    if (resources.some(({ id }) => sameId(id, resource.id))) {
      throw new CommandError(
        `${doing}: may not add resource with an already registered id: ${idText(resource.id)}`,
      );
    }
    resources.push(resource);
  }
}

async function addGenerated(
  context: Context,
  folder: string,
  kustomization: Kustomization,
  { resources }: Accumulated,
): Promise<void> {
  const { configMapGenerator = [], secretGenerator = [], generatorOptions } = kustomization;
  const options = { folder, env: context.env, defaults: generatorOptions };
  const made = [
    ...configMapGenerator.map((args) => generate("ConfigMap", args, options)),
    ...secretGenerator.map((args) => generate("Secret", args, options)),
  ];
  for (const resource of await Promise.all(made)) absorb(resources, resource);
}

/** Adds a generated object, or merges it into the one that a base has generated. */
function absorb(resources: BuildResource[], made: BuildResource): void {
  const old = resources.find(({ allIds }) => allIds.some((id) => sameId(id, made.id)));
  const takesPart = made.behavior === "merge" || made.behavior === "replace";
  if (!old) {
    if (takesPart)
      throw new CommandError(
        `merging from generator: id ${idText(made.id)} does not exist; cannot merge or replace`,
      );
    resources.push(made);
    return;
  }
  if (!takesPart) {
    throw new CommandError(
      `merging from generator: id ${idText(made.id)} exists; can not use behavior: '${made.behavior || "unspecified"}', behavior must be merge or replace`,
    );
  }
  const { labels, annotations } = { ...made.metadata };
  const metadata = {
    ...old.metadata,
    ...((labels || old.metadata.labels) && { labels: { ...old.metadata.labels, ...labels } }),
    ...((annotations || old.metadata.annotations) && {
      annotations: { ...old.metadata.annotations, ...annotations },
    }),
  };
  const fields = made.behavior === "merge" ? ["data", "binaryData"] : [];
  const merged = fields
    .filter((field) => old.object[field] || made.object[field])
    .map((field) => [
      field,
      { ...(old.object[field] as object), ...(made.object[field] as object) },
    ]);
  old.object = { ...made.object, ...Object.fromEntries(merged), metadata };
  old.needsHash = made.needsHash || old.needsHash;
}
