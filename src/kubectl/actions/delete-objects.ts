import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { parseGoBool } from "#/std/go/strconv.ts";
import { addSource, CommandError } from "../base/errors.ts";
import { fieldAt, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { DryRun } from "../printers/print-flags.ts";
import { operationText } from "../printers/print-flags.ts";
import type { ResourceBuilder } from "../resource/builder.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { withoutNotFound } from "./not-found.ts";
import { untilDeleted } from "./until-deleted.ts";

/** Options of a deletion, for commands that delete as one of their steps. */
export const deletionFlags = {
  cascade: {
    type: "string",
    default: "background",
    bare: "background",
    help:
      'Must be "background", "orphan", or "foreground". What happens to dependents, such as ' +
      "the Pods of a ReplicaSet: deleted after the object, kept, or deleted before it. The " +
      "default is background",
  },
  force: {
    type: "bool",
    help:
      "Remove objects from the API at once, without graceful deletion. For some types this " +
      "can cause inconsistency or loss of data, and needs confirmation",
  },
  "grace-period": {
    type: "int",
    default: -1,
    help:
      "Seconds that objects get to end gracefully. Negative values are ignored; 1 means an " +
      "immediate shutdown. 0 is allowed only together with --force",
  },
  timeout: {
    type: "duration",
    help: "How long to wait for a deletion; zero means a time that depends on the object",
  },
  wait: { type: "bool", help: "Wait until the objects are gone, which includes their finalizers" },
} satisfies FlagSet;

/** Value for no timeout. */
const longestWaitMs = 168 * 60 * 60 * 1000;

interface DeleteOptions {
  readonly graceSeconds: number;
  readonly cascade: Propagation;
  readonly dryRun: DryRun;
  readonly ignoresMissing: boolean;
  readonly warnsOfScope?: boolean;
  readonly waits: boolean;
  readonly timeoutMs: number;
  readonly namesOnly?: boolean;
  readonly quiet?: boolean;
  /** The objects that the user has confirmed. */
  readonly only?: ReadonlySet<string>;
}

/** Deletes the objects of a builder, and waits until they are deleted if requested. */
export async function deleteAll(
  builder: ResourceBuilder,
  context: Context,
  options: DeleteOptions,
): Promise<void> {
  const { dryRun, waits, timeoutMs } = options;
  let warns = options.warnsOfScope === true;
  const deleted: { info: ResourceInfo; uid: string | undefined }[] = [];
  try {
    await builder.visit(async (info) => {
      if (options.only && !options.only.has(locationOf(info))) return;
      if (warns && !info.mapping.namespaced) {
        context.cluster.warn(
          "deleting cluster-scoped resources, not scoped to the provided namespace",
        );
        warns = false;
      }
      const entry: { info: ResourceInfo; uid: string | undefined } = { info, uid: undefined };
      deleted.push(entry);
      if (dryRun !== "client") entry.uid = await deleteOne(info, context, options);
      if (!options.quiet) context.out.write(deletedText(info, options));
    });
  } catch (error) {
    const rest = options.ignoresMissing ? withoutNotFound(error) : error;
    if (rest !== undefined) throw rest;
  }
  if (deleted.length === 0) context.out.write("No resources found\n");
  if (!waits || dryRun !== "none") return;
  for (const { info, uid } of deleted) {
    await untilGone(context, info, { timeoutMs: timeoutMs || longestWaitMs, uid });
  }
}

async function untilGone(
  context: Context,
  info: ResourceInfo,
  options: { readonly timeoutMs: number; readonly uid: string | undefined },
): Promise<void> {
  try {
    await untilDeleted(context, info, options);
  } catch (error) {
    // A user who may delete but not read can't wait: this is no failure.
    if (isStatusError(error, "Forbidden") || isStatusError(error, "MethodNotAllowed")) return;
    throw error;
  }
}

async function deleteOne(
  info: ResourceInfo,
  context: Context,
  { graceSeconds, cascade, dryRun }: DeleteOptions,
): Promise<string | undefined> {
  const client = await context.cluster.client();
  try {
    const answer = (await client.delete(info.mapping, info.ref(), {
      ...(graceSeconds >= 0 ? { gracePeriodSeconds: graceSeconds } : {}),
      propagationPolicy: cascade,
      dryRun: dryRun === "server",
    })) as Unstructured;
    const uid = answer.kind === "Status" ? fieldAt(answer, "details", "uid") : answer.metadata?.uid;
    return typeof uid === "string" ? uid : undefined;
  } catch (error) {
    throw addSource("deleting", info.source, error);
  }
}

function deletedText(
  info: ResourceInfo,
  { graceSeconds, dryRun, namesOnly }: DeleteOptions,
): string {
  const { kind, group } = info.mapping;
  const type = group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
  if (namesOnly) return `${type}/${info.name}\n`;
  const done = graceSeconds === 0 ? "force deleted" : "deleted";
  const place = info.namespaced ? ` from ${info.namespace} namespace` : "";
  return `${type} "${info.name}" ${operationText(`${done}${place}`, dryRun)}\n`;
}

/** Identifies an object among those of all types. */
export const locationOf = ({ mapping, namespace, name }: ResourceInfo): string =>
  [mapping.group, mapping.name, namespace, name].join("/");

export type Propagation = "Orphan" | "Background" | "Foreground";

/** The propagation policy that --cascade requests. */
export function propagationOf(value: string, context: Context): Propagation {
  const known: Readonly<Record<string, Propagation>> = {
    orphan: "Orphan",
    foreground: "Foreground",
    background: "Background",
  };
  const found = Object.hasOwn(known, value) ? known[value] : undefined;
  if (found) return found;
  let asBool: boolean;
  try {
    asBool = parseGoBool(value);
  } catch {
    throw new CommandError(
      `invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`,
    );
  }
  const instead = asBool ? "background" : "orphan";
  context.err.write(
    `warning: --cascade=${value} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`,
  );
  return asBool ? "Background" : "Orphan";
}
