/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/diff/diff.go. */

import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, ExitError, messageOf, report, usageError } from "../base/errors.ts";
import { randomDigits } from "../base/random-digits.ts";
import { kindOf, type Unstructured, withoutVersion } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { originalConfiguration } from "../command/last-applied.ts";
import { fieldManagerFlag, filenameFlags, selectorFlag, warnLog } from "../command/shared-flags.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { computePatch } from "./apply/patch-object.ts";
import { pruneKinds, warnOfClusterKinds } from "./apply/prune.ts";

const flags = {
  ...filenameFlags,
  ...selectorFlag,
  ...fieldManagerFlag("kubectl-client-side-apply"),
  "server-side": {
    type: "bool",
    help:
      "Let the server merge the configuration into the object (server-side apply), instead " +
      "of kubectl",
  },
  "force-conflicts": {
    type: "bool",
    help:
      "With --server-side: take over fields that other managers have set to other values, " +
      "instead of failing",
  },
  "prune-allowlist": {
    type: "stringArray",
    help: "Kinds that --prune may delete, as <group/version/kind>, instead of the default list",
  },
  prune: {
    type: "bool",
    help: "Also show objects that apply --prune would delete: those that -l matches, or all",
  },
  "show-managed-fields": { type: "bool", help: "Compare managedFields, too" },
  "show-secrets": {
    type: "bool",
    help: "Show the values of Secrets in the diff, instead of masking them",
  },
  concurrency: {
    type: "int",
    default: 1,
    help:
      "Number of objects that are compared at the same time. A higher number is faster, and " +
      "uses more memory, CPU and I/O while it lasts",
  },
} satisfies FlagSet;

type DiffInvocation = Invocation<typeof flags>;

/** Limit of attempts (count) for an object that changes in the meantime. */
const maxTries = 4;

/** `kubectl diff`. */
export const diff = command({
  usage: "diff -f FILENAME",
  flags,
  flagError: (message, commandPath) => higher(usageError({ commandPath }, message)),
  run,
});

/** Exit codes of failures are higher than that of differences. */
async function run(invocation: DiffInvocation, context: Context): Promise<void> {
  try {
    await runDiff(invocation, context);
  } catch (error) {
    throw error instanceof ExitError ? error : higher(error);
  }
}

function higher(error: unknown): ExitError {
  const { text, code } = report(error);
  return new ExitError(code + 1, text);
}

async function runDiff({ flags, changed, args }: DiffInvocation, context: Context): Promise<void> {
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(" ")}]`);
  if (flags.filename.length === 0 && flags.kustomize === "") {
    throw new CommandError("must specify one of -f and -k");
  }
  if (flags["force-conflicts"] && !flags["server-side"]) {
    throw new CommandError("--force-conflicts only works with --server-side");
  }
  const own = flags["server-side"] ? "kubectl" : "kubectl-client-side-apply";
  const fieldManager = changed.has("field-manager") ? flags["field-manager"] : own;
  const chosen = await context.cluster.namespace();
  const { namespace, explicit } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    selector: flags.selector,
    flatten: true,
  });
  const root = context.env["TMPDIR"] || tmpdir();
  const folders = {
    live: newFolder(root, "LIVE"),
    merged: newFolder(root, "MERGED"),
  };
  try {
    const seen = new Set<string>();
    const namespaces = new Set(explicit ? [namespace] : []);
    await builder.visit(async (info) => {
      if (info.namespaced) namespaces.add(info.namespace);
      const { live, merged } = await versions({ flags, fieldManager }, info, context);
      seen.add(live?.metadata?.uid ?? "");
      writeVersions({ folders, flags }, fileName(info), live, merged);
    });
    if (flags.prune) await writePruned({ flags, folders, seen, namespaces }, context);
    await compare(context, folders.live, folders.merged);
  } finally {
    rmSync(folders.live, { recursive: true, force: true });
    rmSync(folders.merged, { recursive: true, force: true });
  }
}

interface Diffing {
  readonly flags: DiffInvocation["flags"];
  readonly fieldManager: string;
}

interface Versions {
  readonly live: Unstructured | undefined;
  readonly merged: Unstructured;
}

/** The object to merge, and whether the resourceVersion must match. */
interface Looking {
  readonly local: Unstructured;
  readonly live: Unstructured | undefined;
  readonly isLocked: boolean;
}

/** The live object, and the merged one. */
async function versions(diffing: Diffing, info: ResourceInfo, context: Context): Promise<Versions> {
  const local = info.object ?? {};
  for (let attempt = 1; ; attempt++) {
    const live = await currentObject(info);
    const isLast = attempt === maxTries;
    if (isLast)
      warnLog(
        context,
        `Object (${kindText(info)}: ${info.name}) keeps changing, diffing without lock`,
      );
    const looking = { local, live, isLocked: !isLast };
    try {
      return { live, merged: await mergedObject(diffing, info, looking, context) };
    } catch (error) {
      if (!isConflict(error) || isLast) throw error;
    }
  }
}

/** A group, version and kind as Go prints them. */
function kindText({ mapping: { group, version, kind } }: ResourceInfo): string {
  return `${group === "" ? "" : `${group}/`}${version}, Kind=${kind}`;
}

async function currentObject(info: ResourceInfo): Promise<Unstructured | undefined> {
  try {
    return await info.get();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function mergedObject(
  { flags, fieldManager }: Diffing,
  info: ResourceInfo,
  { local, live, isLocked }: Looking,
  context: Context,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const options = { dryRun: true, fieldManager };
  if (flags["server-side"]) {
    const force = flags["force-conflicts"];
    return client.patch(info.mapping, info.ref(), JSON.stringify(local), {
      ...options,
      type: "apply",
      force,
    });
  }
  if (live === undefined) {
    return client.create(info.mapping, withoutVersion(local), {
      ...options,
      namespace: info.namespace,
    });
  }
  const { patch, type } = computePatch(
    info.mapping,
    { current: live, modified: withAnnotations(local) },
    true,
  );
  if (Object.keys(patch).length === 0) return live;
  if (!isLocked) return client.patch(info.mapping, info.ref(), patch, { ...options, type });
  const { resourceVersion } = live.metadata ?? {};
  const locked = {
    ...patch,
    metadata: { ...(patch["metadata"] as object | undefined), resourceVersion },
  };
  return client.patch(info.mapping, info.ref(), locked, { ...options, type });
}

/** Annotations count as present, even if there are none. */
function withAnnotations(object: Unstructured): Unstructured {
  const annotations = object.metadata?.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function fileName({ mapping, namespace, name }: ResourceInfo): string {
  const { group, version, kind } = mapping;
  return `${group === "" ? "" : `${group}.`}${version}.${kind}.${namespace}.${name}`;
}

interface Writing {
  readonly folders: { readonly live: string; readonly merged: string };
  readonly flags: DiffInvocation["flags"];
}

function writeVersions(
  { folders, flags }: Writing,
  name: string,
  live: Unstructured | undefined,
  merged: Unstructured,
): void {
  const shown = (object: Unstructured): Unstructured => {
    if (flags["show-managed-fields"] || object.metadata?.managedFields === undefined) return object;
    const { managedFields, ...metadata } = object.metadata;
    return { ...object, metadata };
  };
  const isSecret = merged.kind === "Secret" && kindOf(merged).version === "v1";
  const isMasked = isSecret && !flags["show-secrets"];
  const pair = isMasked ? masked(live, merged) : { live, merged };
  // A masked value is an object even if it is missing, which prints as null.
  const nothing = isMasked ? "null\n" : "";
  writeFileSync(join(folders.live, name), pair.live ? writeYaml(shown(pair.live)) : nothing);
  writeFileSync(join(folders.merged, name), writeYaml(shown(pair.merged)));
}

/** Masks the values of secrets, but shows whether they differ. */
function masked(live: Unstructured | undefined, merged: Unstructured): Versions {
  const from = { ...((live?.["data"] ?? {}) as Record<string, string>) };
  const to = { ...((merged["data"] ?? {}) as Record<string, string>) };
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const isChanged = key in from && key in to && from[key] !== to[key];
    if (key in from) from[key] = isChanged ? "*** (before)" : "***";
    if (key in to) to[key] = isChanged ? "*** (after)" : "***";
  }
  return {
    live: live && (live["data"] === undefined ? live : { ...live, data: from }),
    merged: merged["data"] === undefined ? merged : { ...merged, data: to },
  };
}

function newFolder(root: string, name: string): string {
  const folder = join(root, `${name}-${randomDigits()}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

interface Pruning extends Writing {
  readonly seen: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

async function writePruned(
  { flags, folders, seen, namespaces }: Pruning,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  if (flags["prune-allowlist"].length === 0) warnOfClusterKinds(context);
  const mappings = await pruneKinds(context, flags["prune-allowlist"]);
  for (const mapping of mappings) {
    for (const namespace of mapping.namespaced ? namespaces : [""]) {
      const items = await client.listAll(mapping, { namespace, labelSelector: flags.selector });
      for (const item of items as readonly Unstructured[]) {
        if (originalConfiguration(item) === undefined || seen.has(item.metadata?.uid ?? ""))
          continue;
        const { group, version, kind } = mapping;
        const name = `${group === "" ? "" : `${group}.`}${version}.${kind}.${namespace}.${item.metadata?.name}`;
        const object = { apiVersion: apiVersionOf(mapping), kind, ...item };
        writeFileSync(join(folders.live, name), writeYaml(object));
      }
    }
  }
}

/** Runs the diff program; its exit code is 1 if there are differences. */
function compare(context: Context, from: string, to: string): Promise<void> {
  const [program = "diff", ...extra] = (context.env["KUBECTL_EXTERNAL_DIFF"] || "diff -u -N").split(
    " ",
  );
  const isOwn = !context.env["KUBECTL_EXTERNAL_DIFF"];
  const options = extra.filter((arg) => /^[a-zA-Z0-9-=]+$/.test(arg));
  const args = isOwn ? [...options, from, to] : [from, to, ...options];
  const child = spawn(program, args, {
    env: context.env as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (chunk: Buffer) => context.out.write(chunk));
  child.stderr.on("data", (chunk: Buffer) => context.err.write(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new CommandError(`failed to run ${goQuote(program)}: ${spawnProblem(error)}`)),
    );
    child.once("close", (code) => {
      if (code === 0) resolve();
      else if (code === 1) reject(new ExitError(1));
      else reject(new CommandError(`failed to run ${goQuote(program)}: exit status ${code}`));
    });
  });
}

function spawnProblem(error: Error): string {
  const isMissing = "code" in error && error.code === "ENOENT";
  return isMissing ? "executable file not found in $PATH" : messageOf(error);
}
