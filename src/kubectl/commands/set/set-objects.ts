/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/helper.go,
 * staging/src/k8s.io/kubectl/pkg/polymorphichelpers/updatepodspec.go.
 */

import type { Container, EnvVar } from "#/api/core/v1.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, Errors, messageOf } from "../../base/errors.ts";
import { typedForm } from "../../base/typed-form.ts";
import { fieldAt, kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { ChosenNamespace } from "../../command/cluster-access.ts";
import type { Context } from "../../command/context.ts";
import { recordChange } from "../../command/record-change.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
} from "../../command/shared-flags.ts";
import { goTypeOf } from "../../pods/pods-of-object.ts";
import { type DryRun, printFlags } from "../../printers/print-flags.ts";
import type { Printer } from "../../printers/printer.ts";
import { type BuilderOptions, ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";

/** Shared flags of the subcommands of `kubectl set`. */
export const setFlags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-set"),
  ...recordFlag,
  all: { type: "bool", help: "All objects of the given types in the namespace" },
  local: {
    type: "bool",
    help: "Change what the files contain and print it, without contacting the server",
  },
} satisfies FlagSet;

export const localNeedsFiles = `error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

interface TargetFlags {
  readonly filename: readonly string[];
  readonly kustomize: string;
  readonly recursive: boolean;
  readonly local: boolean;
  readonly all: boolean;
  readonly selector?: string;
}

/** The objects of a subcommand: in files, or on the server. */
export function targetOptions(flags: TargetFlags, chosen: ChosenNamespace): BuilderOptions {
  const { selector, all } = flags;
  return {
    ...fileOptions(flags, chosen),
    local: flags.local,
    continueOnError: true,
    flatten: true,
    ...(flags.local
      ? {}
      : { ...(selector === undefined ? {} : { selector }), allowEmptySelector: all, latest: true }),
  };
}

/** The objects of flags and arguments; with --local arguments are rejected. */
export async function targetsOf(
  flags: TargetFlags,
  args: readonly string[],
  context: Context,
): Promise<ResourceInfo[]> {
  const options = targetOptions(flags, await context.cluster.namespace());
  return await new ResourceBuilder(context, {
    ...options,
    ...(flags.local ? {} : { args }),
  }).infos();
}

/** Throws if --local is combined with a dry run on the server. */
export function refuseLocalOnServer(local: boolean, dryRun: DryRun): void {
  if (local && dryRun === "server") throw new CommandError(localOnServer);
}

/** The error for --local with --dry-run=server. */
export const localOnServer =
  "cannot specify --local and --dry-run=server - did you mean --dry-run=client?";

/** The fields of a Pod spec that are set. */
interface PodSpecLike {
  containers?: ContainerLike[];
  initContainers?: ContainerLike[];
  serviceAccountName?: string;
}

export type ContainerLike = Pick<Container, "name" | "image" | "resources"> & { env?: EnvVar[] };

const templatePaths: Readonly<Record<string, readonly string[]>> = {
  "/Pod": ["spec"],
  "/ReplicationController": ["spec", "template", "spec"],
  "apps/Deployment": ["spec", "template", "spec"],
  "apps/DaemonSet": ["spec", "template", "spec"],
  "apps/ReplicaSet": ["spec", "template", "spec"],
  "apps/StatefulSet": ["spec", "template", "spec"],
  "batch/Job": ["spec", "template", "spec"],
  "batch/CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
};

/** The Pod specification in an object; throws if it has none. */
export function podSpecOf(object: Unstructured): PodSpecLike {
  const { group, version, kind } = kindOf(object);
  const path = templatePaths[`${group}/${kind}`];
  const spec = path && fieldAt(object, ...path);
  if (spec !== undefined) return spec as PodSpecLike;
  throw new CommandError(
    `the object is not a pod or does not have a pod template: ${goTypeOf(group, version, kind)}`,
  );
}

/** True if a name matches a pattern with stars. */
function matchesName(name: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`).test(name);
}

/** The containers and init containers whose names match a pattern. */
export function selectContainers(spec: PodSpecLike, pattern: string): ContainerLike[] {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return all.filter(({ name }) => matchesName(name, pattern));
}

interface Setting {
  readonly context: Context;
  readonly printer: Printer;
  readonly dryRun: DryRun;
  readonly local: boolean;
  readonly fieldManager: string;
  /** True to record the command in changed objects. */
  readonly record: boolean;
  /** Prefix of a server's error. */
  readonly failure: string;
  /** True to print unchanged objects, too. */
  readonly printsUnchanged?: boolean;
  /** Called with a patched object before it is printed. */
  readonly beforePrint?: () => void;
}

/** An object decoded by its type. Throws if an object of a file can't be decoded. */
export function typedObject({ object = {}, source }: ResourceInfo): Unstructured {
  try {
    return typedForm(object);
  } catch (error) {
    if (source === "") throw error;
    const text = `unable to decode ${goQuote(source)}: ${messageOf(error)}`;
    throw new CommandError(text, { cause: error });
  }
}

/** Changes a copy of each object, patches the difference, and prints it. Several failures are thrown together. */
export async function setOnAll(
  setting: Setting,
  infos: readonly ResourceInfo[],
  change: (object: Unstructured, errors: unknown[]) => boolean | MaybePromise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const changed: { info: ResourceInfo; before: Unstructured; after: Unstructured }[] = [];
  for (const info of infos) {
    const before = typedObject(info);
    const after = structuredClone(before);
    try {
      if ((await change(after, errors)) === false) continue;
      const recorded = recordChange(after, setting, setting.context);
      changed.push({ info, before, after: typedForm(recorded) });
    } catch (error) {
      errors.push(new CommandError(`error: ${info.objectName()} ${messageOf(error)}\n`));
    }
  }
  for (const { info, before, after } of changed) {
    try {
      await applyChange(setting, info, before, after);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new Errors(errors);
}

async function applyChange(
  setting: Setting,
  info: ResourceInfo,
  before: Unstructured,
  after: Unstructured,
): Promise<void> {
  const { context, printer, dryRun, local, fieldManager } = setting;
  const { group, version, kind } = kindOf(before);
  const schema = findSchema(group, version, kind);
  const patch = schema
    ? createStrategicMergePatch(schema, { original: before, modified: after })
    : {};
  if (Object.keys(patch).length === 0 && !setting.printsUnchanged) return;
  if (local || dryRun === "client") return printer.print(after, context.out);
  const client = await context.cluster.client();
  let actual: Unstructured;
  try {
    const options = { type: "strategic", dryRun: dryRun === "server", fieldManager } as const;
    actual = await client.patch(info.mapping, info.ref(), patch, options);
  } catch (error) {
    if (setting.failure === "") throw error;
    throw new CommandError(`${setting.failure} ${messageOf(error)}`, { cause: error });
  }
  setting.beforePrint?.();
  printer.print(actual, context.out);
}
